import type { VerifyContext } from '../context.ts'
import { fail, quote } from '../settings.ts'
import {
  fill,
  paramOf,
  paramsIn,
  problemOfPlaces,
  type Template,
  templateOf,
  variablesIn,
} from '../template.ts'
import { type BodyTemplate, bodyOf } from './body-template.ts'
import { sendFollowing } from './follow-redirects.ts'
import { readBounded } from './read-bounded.ts'
import { type UrlTemplate, urlOf } from './url.ts'

/** Bytes of an answer that are read: 1 MiB. */
export const BODY_LIMIT_DEFAULT_BYTES = 1_048_576

/** Methods of a request. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
/** One of them. */
export type Method = (typeof METHODS)[number]

/** A request and how its parameters are given to it. */
export interface RequestSpec {
  /** Default POST for work, GET for a verification. Any case. */
  method?: Method | Lowercase<Method>
  /** Address; parameters stand in path and query, each encoded for its place. Or `env:NAME` for the whole address. */
  url: string
  /** Headers; `{name}` is a parameter, `{env:NAME}` or `env:NAME` a variable. */
  headers?: Readonly<Record<string, string>>
  /** Sent as JSON, with parameters in its texts: `"{count}"` keeps the parameter's type. A text that is no JSON is sent as text; as a form (`a={a}&b={b}`), each parameter encoded, where the header content-type says application/x-www-form-urlencoded. */
  body?: unknown
}

/** An answer of a server, shaped so that `classify` takes it as it is. */
export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** A checked request, ready to be sent with parameters. */
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

/** Checks a request and makes it ready. Throws a CapabilityError that says what would be right. */
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
    const problem = problemOfPlaces(template, known)
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
    // Beyond Latin-1 a header cannot carry it; a line break would begin another header.
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
    // A redirected POST becomes a GET at another place: that is not what was asked for.
    follow: isRead,
    signal: context.signal,
  }).catch(noAnswer)
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await readBounded(response, bodyLimitBytes).catch(error => {
      // A refusal stands, whatever became of its words; what is aborted, and half an answer, do not.
      if (isSuccess(response) || context.signal.aborted) throw error
      return ''
    }),
  }
}

/** What requests failed with to which no server answered. */
const unanswered = new WeakSet<object>()

function noAnswer(error: unknown): never {
  if (typeof error === 'object' && error !== null) unanswered.add(error)
  throw error
}

/** Whether a request failed before any server answered; what it failed with tells how far it came. */
export function isUnanswered(error: unknown): boolean {
  return typeof error === 'object' && error !== null && unanswered.has(error)
}

/** Whether the server did what it was asked for: any 2xx. */
export function isSuccess({ status }: Pick<HttpAnswer, 'status'>): boolean {
  return status >= 200 && status < 300
}
