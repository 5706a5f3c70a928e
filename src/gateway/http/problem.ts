import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { isOwnError, MEANING } from '../../failure/own-error.ts'
import { present } from '../../failure/present.ts'
import { isInvalidParams, isMayRepeat, MayRepeat } from '../../queue/error.ts'

/** One mistake in a request: where it is, and what would be right. */
export interface Mistake {
  /** Path within the request, such as `body.params.url`. */
  at: string
  message: string
}

/** A refused request as an RFC 9457 problem: `code` for programs, the message for people. */
export class Problem extends Error {
  override name = 'Problem'
  readonly status: ContentfulStatusCode
  readonly code: string
  readonly mistakes: readonly Mistake[]
  /** What may happen twice, without how to accept it. */
  readonly why: string | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: ContentfulStatusCode,
    code: string,
    message: string,
    {
      mistakes = [],
      headers = {},
      why,
    }: { mistakes?: readonly Mistake[]; headers?: Record<string, string>; why?: string } = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.mistakes = mistakes
    this.why = why
    this.headers = headers
  }

  /** What is sent. */
  toAnswer(): { status: number; headers: Record<string, string>; body: string } {
    const { status, code, message, mistakes, why } = this
    const json = {
      type: `urn:mulligan:problem:${code}`,
      title: TITLES[status] ?? 'Error',
      status,
      detail: message,
      code,
      ...(mistakes.length > 0 ? { mistakes } : {}),
      ...present({ why }),
    }
    return {
      status,
      headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...this.headers },
      body: `${JSON.stringify(json)}\n`,
    }
  }

  toResponse(): Response {
    const { status, headers, body } = this.toAnswer()
    return new Response(body, { status, headers })
  }
}

const TITLES: Readonly<Partial<Record<number, string>>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  406: 'Not acceptable',
  408: 'Request timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content too large',
  415: 'Unsupported media type',
  422: 'Unprocessable content',
  429: 'Too many requests',
  431: 'Request header fields too large',
  500: 'Internal error',
  501: 'Not implemented',
  503: 'Unavailable',
  507: 'Insufficient storage',
}

/** Retry-After for a busy ledger, in seconds. */
const RETRY_AFTER_S = '1'

/** The problem for an error; undefined for an unexpected error. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error
  if (isMayRepeat(error)) {
    const { why } = error
    return new Problem(409, error.code, new MayRepeat(why, 'send "may_repeat": true').message, { why })
  }
  if (!isOwnError(error)) return undefined
  const { status, code = (error as { code?: string }).code } = error[MEANING]
  if (status === undefined || code === undefined) return undefined
  const headers: Record<string, string> = status === 503 ? { 'retry-after': RETRY_AFTER_S } : {}
  const mistakes = isInvalidParams(error) ? error.problems.slice(0, MOST_MISTAKES).map(mistakeOf) : []
  return new Problem(status as ContentfulStatusCode, code, error.message, { headers, mistakes })
}

/** Most mistakes that an answer lists: a body may have a million, and explaining each would hold up everything else. */
export const MOST_MISTAKES = 50

/** A problem with parameters, which starts with its place: `items[0].id: must be a string`. */
function mistakeOf(problem: string): Mistake {
  const [, place, message] = /^([^\s:]+): (.*)$/s.exec(problem) ?? []
  return place === undefined
    ? { at: 'body.params', message: problem }
    : { at: `body.params.${place}`, message: message as string }
}

/** The problem for a path or name that does not exist. */
export function notFound(message: string): Problem {
  return new Problem(404, 'missing', message)
}
