import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { isCapabilityError } from '../../capability/error.ts'
import { MissingReference } from '../../config/reference.ts'
import { isLedgerError, type LedgerErrorCode } from '../../ledger/error.ts'
import { isOperationFailed, isQueueError, type QueueErrorCode } from '../../queue/error.ts'
import { isUnknownError, type UnknownErrorCode } from '../../unknown/error.ts'
import { isWorkflowError, type WorkflowErrorCode } from '../../workflow/error.ts'

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
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: ContentfulStatusCode,
    code: string,
    message: string,
    { mistakes = [], headers = {} }: { mistakes?: readonly Mistake[]; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.mistakes = mistakes
    this.headers = headers
  }

  /** What is sent. */
  toAnswer(): { status: number; headers: Record<string, string>; body: string } {
    const { status, code, message, mistakes } = this
    const json = {
      type: `urn:mulligan:problem:${code}`,
      title: TITLES[status] ?? 'Error',
      status,
      detail: message,
      code,
      ...(mistakes.length > 0 ? { mistakes } : {}),
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

const QUEUE_STATUS: Readonly<Record<QueueErrorCode, ContentfulStatusCode>> = {
  unknown_capability: 422,
  invalid_params: 422,
  too_large: 413,
  invalid: 400,
  missing: 404,
  not_ended: 409,
  cannot_edit: 409,
  needs_person: 403,
  may_repeat: 409,
}

const LEDGER_STATUS: Readonly<Record<LedgerErrorCode, ContentfulStatusCode>> = {
  locked: 503,
  full: 507,
  read_only: 503,
  corrupt: 500,
  gone: 503,
  newer: 503,
  not_a_ledger: 500,
  io: 503,
  closed: 503,
  key_conflict: 409,
  invalid: 400,
  exists: 409,
  in_use: 409,
  unreachable: 503,
  unsupported: 501,
}

const UNKNOWN_STATUS: Readonly<Record<UnknownErrorCode, ContentfulStatusCode>> = {
  not_found: 404,
  invalid: 400,
  flips: 409,
  too_long: 422,
}

const WORKFLOW_STATUS: Readonly<Record<WorkflowErrorCode, ContentfulStatusCode>> = {
  invalid: 400,
  invalid_params: 422,
  invalid_result: 422,
  unknown_workflow: 404,
  unknown_step: 404,
  missing: 404,
  ended: 409,
  not_ended: 409,
  wrong_state: 409,
  conflict: 409,
}

/** Retry-After for a busy ledger, in seconds. */
const RETRY_AFTER_S = '1'

/** The problem for an error; undefined for an unexpected error. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error
  if (isQueueError(error)) return new Problem(QUEUE_STATUS[error.code] ?? 400, error.code, error.message)
  if (isCapabilityError(error)) return new Problem(422, 'invalid_params', error.message)
  if (isOperationFailed(error)) return new Problem(409, 'failed', error.message)
  if (error instanceof MissingReference) return new Problem(409, 'missing_reference', error.message)
  if (isUnknownError(error)) return new Problem(UNKNOWN_STATUS[error.code] ?? 400, error.code, error.message)
  if (isWorkflowError(error))
    return new Problem(WORKFLOW_STATUS[error.code] ?? 400, error.code, error.message)
  if (!isLedgerError(error)) return undefined
  const status = LEDGER_STATUS[error.code] ?? 500
  const headers: Record<string, string> = status === 503 ? { 'retry-after': RETRY_AFTER_S } : {}
  return new Problem(status, error.code, error.message, { headers })
}

/** The problem for a path or name that does not exist. */
export function notFound(message: string): Problem {
  return new Problem(404, 'missing', message)
}
