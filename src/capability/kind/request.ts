import { quote } from '../../failure/quote.ts'
import type { VerifyContext } from '../context.ts'
import { fail } from '../settings.ts'
import {
  fill,
  paramOf,
  paramsIn,
  problemOfPlaceholders,
  type Template,
  templateOf,
  variablesIn,
} from '../template.ts'
import { type BodyTemplate, bodyOf } from './body-template.ts'
import { sendFollowing } from './follow-redirects.ts'
import { readBounded } from './read-bounded.ts'
import { type UrlTemplate, urlOf } from './url.ts'

/** How many bytes of an answer are read: 1 MiB. */
export const BODY_LIMIT_DEFAULT_BYTES = 1_048_576

/** Methods of a request. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
/** A method of a request. */
export type Method = (typeof METHODS)[number]

/** A request and how it gets its parameters. */
export interface RequestSpec {
  /** Default: POST for work, GET for a verification. Any case. */
  method?: Method | Lowercase<Method>
  /** The URL; parameters may appear in path and query, encoded for their place. Or `env:NAME` for the whole URL. */
  url: string
  /** Headers; `{name}` is a parameter, `{env:NAME}` or `env:NAME` a variable. */
  headers?: Readonly<Record<string, string>>
  /**
   * Sent as JSON, with parameters in its strings: `"{count}"` keeps the parameter's type. Text that is not JSON is sent as text; or
   * as a form (`a={a}&b={b}`) with each parameter encoded, if the content-type header says application/x-www-form-urlencoded.
   */
  body?: unknown
}

/** A server's answer, in a shape that `classify` takes. */
export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** A checked request, ready to send with parameters. */
export interface Request {
  readonly method: Method
  /** For messages: no parameters, no variables. */
  readonly title: string
  readonly variables: readonly string[]
  problems(params: unknown): string[]
  send(params: unknown, context: VerifyContext): Promise<HttpAnswer>
}

interface RequestFacts {
  capability: string
  known: readonly string[] | undefined
  method: Method
  bodyLimitBytes?: number | undefined
}

/** Checks and prepares a request. Throws a CapabilityError that says what would be right. */
export function requestOf(spec: RequestSpec, facts: RequestFacts): Request {
  const { capability, known, bodyLimitBytes = BODY_LIMIT_DEFAULT_BYTES } = facts
  const method = (spec.method ?? facts.method).toUpperCase() as Method
  if (!METHODS.includes(method))
    fail(capability, `method must be one of ${METHODS.join(', ')}, not ${quote(spec.method)}`)
  const url = urlOf(spec.url, capability)
  const headers = Object.entries(spec.headers ?? {}).map(
    ([name, value]) => [name, templateOf(value)] as const,
  )
  const body = spec.body === undefined ? undefined : bodyOf(spec.body, isForm(spec.headers))
  if (body && (method === 'GET' || method === 'HEAD')) fail(capability, `a ${method} request has no body`)
  for (const [name] of headers) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) fail(capability, `${quote(name)} is not a valid header name`)
  }
  const all = [...url.templates, ...headers.map(([, value]) => value), ...(body?.templates ?? [])]
  for (const template of all) {
    const problem = problemOfPlaceholders(template, known)
    if (problem) fail(capability, problem)
  }
  return {
    method,
    title: `${method} ${url.title}`,
    variables: all.flatMap(variablesIn),
    problems: params => [
      ...url.problems(params),
      ...headers.flatMap(([name, value]) => problemOfHeader(name, value, params) ?? []),
    ],
    send: (params, context) => send({ method, url, headers, body, bodyLimitBytes }, params, context),
  }
}

function isForm(headers: RequestSpec['headers'] = {}): boolean {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  return type !== undefined && /^\s*application\/x-www-form-urlencoded\b/i.test(type)
}

function problemOfHeader(header: string, template: Template, params: unknown): string | undefined {
  const bad = paramsIn(template).find(name => {
    const value = paramOf(params, name)
    // Headers cannot carry characters beyond Latin-1, and a line break would begin another header.
    return typeof value === 'string' && /[^\t\x20-\x7e\x80-\xff]/.test(value)
  })
  return bad === undefined ? undefined : `${bad}: contains a character that the header ${header} cannot carry`
}

interface Ready {
  method: Method
  url: UrlTemplate
  headers: readonly (readonly [string, Template])[]
  body: BodyTemplate | undefined
  bodyLimitBytes: number
}

async function send(ready: Ready, params: unknown, context: VerifyContext): Promise<HttpAnswer> {
  const { method, url, body, bodyLimitBytes } = ready
  const values = { params, env: context.env }
  const isRead = method === 'GET' || method === 'HEAD'
  const headers = new Headers(body ? { 'content-type': body.type } : {})
  if (!isRead) {
    headers.set('idempotency-key', context.idempotencyKey)
    headers.set('mulligan-run', String(context.run))
  }
  for (const [name, template] of ready.headers) {
    const value = fill(template, values)
    if (value !== undefined) headers.set(name, value)
  }
  const response = await sendFollowing({
    url: url.fill(values),
    method,
    headers,
    ...(body ? { body: body.fill(values) } : {}),
    // A redirected POST would become a GET elsewhere, which is not what was asked for.
    follow: isRead,
    signal: context.signal,
  }).catch(noAnswer)
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await readBounded(response, bodyLimitBytes).catch(error => {
      // A refusal counts even if its body cannot be read; an abort or half of a success does not.
      if (isSuccess(response) || context.signal.aborted) throw error
      return ''
    }),
  }
}

/** Errors of requests that no server answered. */
const unanswered = new WeakSet<object>()

function noAnswer(error: unknown): never {
  if (typeof error === 'object' && error !== null) unanswered.add(error)
  throw error
}

/** Whether a request failed before any server answered; the error tells how far it got. */
export function isUnanswered(error: unknown): boolean {
  return typeof error === 'object' && error !== null && unanswered.has(error)
}

/** Whether the server did what it was asked: any 2xx. */
export function isSuccess({ status }: Pick<HttpAnswer, 'status'>): boolean {
  return status >= 200 && status < 300
}
