import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { z } from 'zod'
import { isKnownFromNowOn } from './connections.ts'
import type { Dashboard } from './dashboard.ts'
import type { Facilities } from './facilities.ts'
import type { Guard } from './guard.ts'
import { notFound, Problem, problemOf } from './problem.ts'
import { readBody } from './read-body.ts'
import { checked, jsonOf, queryOf } from './request-values.ts'
import type { AnyAnswer, Caller, Route } from './route.ts'
import { isSent, SECURITY_HEADERS, send, sendStream } from './send.ts'

const NO_SEARCH = new URLSearchParams()

/** Parts of the API. */
export interface AppOptions {
  routes: readonly Route[]
  facilities: Facilities
  guard: Guard
  maxBodyBytes: number
  /** Aborts when the daemon stops. */
  stopping: AbortSignal
  /** The dashboard's pages. Default none. */
  dashboard?: Dashboard
  /** Called for every answer. Default none. */
  onAnswer?: (answered: Answered) => void
  /** Called after every change that a caller made. Default none. */
  onChange?: (route: Route, caller: Caller, given: { params: unknown; body: unknown }) => Promise<void>
}

/** A request that was answered. */
export interface Answered {
  method: string
  /** Path of the route, such as `/v1/operations/{id}`, or `unknown`. */
  route: string
  status: number
  durationMs: number
  /** An unexpected error. */
  error?: unknown
}

interface Env {
  Bindings: HttpBindings
  Variables: {
    /** Path of the route. */
    route: string
    /** Status of an answer that was sent without a `Response`. */
    status: number
    /** An unexpected error. */
    error: unknown
  }
}

/** The API as one function from request to response. */
export function appOf(options: AppOptions): Hono {
  const { routes, guard, facilities, dashboard, onAnswer } = options
  const app = new Hono<Env>()
  app.use(async (context, next) => {
    const began = facilities.time.monotonic()
    await next()
    if (!isSent(context.res))
      for (const [name, value] of Object.entries(SECURITY_HEADERS))
        if (!context.res.headers.has(name)) context.header(name, value)
    onAnswer?.({
      method: context.req.method,
      route: context.get('route') ?? 'unknown',
      status: context.get('status') ?? context.res.status,
      durationMs: facilities.time.monotonic() - began,
      ...(context.get('error') === undefined ? {} : { error: context.get('error') }),
    })
  })
  app.use(async (context, next) => {
    const { method, path } = context.req
    const header = (name: string) => context.req.header(name)
    const page = method === 'GET' || method === 'HEAD' ? dashboard?.answer(path, header) : undefined
    if (!page) return next()
    // A page contains only the program, so links from other sites may lead to it: only the host is checked.
    guard.checkHost(header)
    context.set('route', 'dashboard')
    return page
  })
  app.use(async (context, next) => {
    const header = (name: string) => context.req.header(name)
    const target = context.env.incoming.url ?? ''
    // A whole URL instead of a path names the host itself, and counts more than the header.
    if (!target.startsWith('/')) guard.checkHost(() => new URL(context.req.url).host)
    guard.checkPlace(header)
    await next()
  })
  for (const route of routes)
    app.on(route.method.toUpperCase(), honoPath(route.path), async context => {
      context.set('route', route.path)
      return respond(await run(route, context, options), context)
    })
  for (const [path, methods] of methodsOf(routes))
    app.all(honoPath(path), async context => {
      // A caller without access must not learn which routes exist.
      await guard.admit(
        'look',
        name => context.req.header(name),
        () => options.stopping,
      )
      const allow = methods.join(', ')
      throw new Problem(405, 'method', `${path} takes ${allow}`, { headers: { allow } })
    })
  app.notFound(async context => {
    await guard.admit(
      'look',
      name => context.req.header(name),
      () => options.stopping,
    )
    throw notFound('no such path; /openapi.json lists all paths')
  })
  app.onError((error, context) => {
    const problem = problemOf(error)
    if (!problem) context.set('error', error)
    return (problem ?? new Problem(500, 'internal', "internal error; see the daemon's log")).toResponse()
  })
  return app as unknown as Hono
}

async function run(route: Route, context: Context<Env>, options: AppOptions): Promise<AnyAnswer> {
  const { guard, facilities, maxBodyBytes, stopping } = options
  const { raw } = context.req
  const header = (name: string) => context.req.header(name)
  // Few routes wait, and a signal that ends with the first of two costs more than checking a token.
  let ends: AbortSignal | undefined
  const signal = () => (ends ??= AbortSignal.any([raw.signal, stopping]))
  const { socket } = context.env.incoming
  const caller = await guard.admit(route.demand, header, signal, socket.remoteAddress)
  if (caller) isKnownFromNowOn(socket)
  const params = route.params && checked('path', context.req.param(), route.params)
  const query = queryOf(searchOf(context.req.url), route.query)
  const body = route.body && (await bodyOf(route, route.body, context.env.incoming, maxBodyBytes))
  const call = {
    params,
    query,
    body,
    header,
    request: raw,
    caller,
    mayStillLook: () => guard.mayStillLook(header, socket.remoteAddress),
    get signal() {
      return signal()
    },
  }
  const answer = await route.run(call, facilities)
  if (caller && isChange(route, caller)) await options.onChange?.(route, caller, { params, body })
  return answer
}

/** Whether who did it is recorded: of every change, except what the owner's own token submits, which is most of all. */
function isChange({ demand }: Route, { isOwner }: Caller): boolean {
  return demand === 'change' || demand === 'admin' || (demand === 'submit' && !isOwner)
}

/** The names and values after the question mark. */
function searchOf(url: string): URLSearchParams {
  const at = url.indexOf('?')
  return at < 0 ? NO_SEARCH : new URL(url).searchParams
}

async function bodyOf(
  route: Route,
  schema: z.ZodType,
  incoming: IncomingMessage,
  most: number,
): Promise<unknown> {
  const text = await readBody(incoming, Math.min(most, route.maxBodyBytes ?? most))
  if (text === undefined && !route.bodyOptional)
    throw new Problem(400, 'invalid', 'the body is missing; send a JSON object')
  const json = text === undefined ? {} : jsonOf(text)
  return route.plainBody?.(json) ?? checked('body', json, schema)
}

/** Sends JSON; a caller that polls and already has it gets 304. */
function respond(answer: AnyAnswer, context: Context<Env>): Response {
  if (answer instanceof Response) return answer
  const { outgoing } = context.env
  if ('stream' in answer) {
    context.set('status', 200)
    return sendStream(outgoing, answer.headers, answer.stream)
  }
  const { status = 200, json, headers = {} } = answer
  const text = `${JSON.stringify(json)}\n`
  const type = { 'content-type': 'application/json' }
  const isPolled = status === 200 && (context.req.method === 'GET' || context.req.method === 'HEAD')
  if (!isPolled) {
    context.set('status', status)
    return send(outgoing, status, { ...type, 'cache-control': 'no-store', ...headers }, text)
  }
  const etag = `"${hash('sha256', text, 'base64url').slice(0, 27)}"`
  const caching = { etag, 'cache-control': 'private, no-cache', ...headers }
  const known = context.req.header('if-none-match')?.split(',') ?? []
  const isKnown = known.some(tag => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
  context.set('status', isKnown ? 304 : status)
  return isKnown ? send(outgoing, 304, caching) : send(outgoing, status, { ...type, ...caching }, text)
}

function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

function methodsOf(routes: readonly Route[]): Map<string, string[]> {
  const methods = new Map<string, string[]>()
  for (const { path, method } of routes) {
    const known = methods.get(path) ?? (methods.set(path, []).get(path) as string[])
    known.push(method.toUpperCase())
  }
  return methods
}
