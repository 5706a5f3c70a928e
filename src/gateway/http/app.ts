import { createHash } from 'node:crypto'
import { type Context, Hono } from 'hono'
import type { z } from 'zod'
import type { Dashboard } from './dashboard.ts'
import type { Facilities } from './facilities.ts'
import type { Guard } from './guard.ts'
import { notFound, Problem, problemOf } from './problem.ts'
import { readBody } from './read-body.ts'
import { checked, jsonOf, queryOf } from './request-values.ts'
import type { Answer, Route } from './route.ts'

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

/** Security headers: nothing is loaded from elsewhere, framed or sniffed, and no other site can read anything. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** The API as one function from request to response. */
export function appOf(options: AppOptions): Hono {
  const { routes, guard, facilities, dashboard, onAnswer } = options
  const app = new Hono<{ Variables: { route: string; error: unknown } }>()
  app.use(async (context, next) => {
    const began = facilities.time.monotonic()
    await next()
    for (const [name, value] of Object.entries(HEADERS))
      if (!context.res.headers.has(name)) context.header(name, value)
    onAnswer?.({
      method: context.req.method,
      route: context.get('route') ?? 'unknown',
      status: context.res.status,
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
    guard.checkPlace(name => context.req.header(name))
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
      await guard.admit('look', name => context.req.header(name), options.stopping)
      const allow = methods.join(', ')
      throw new Problem(405, 'method', `${path} takes ${allow}`, { headers: { allow } })
    })
  app.notFound(async context => {
    await guard.admit('look', name => context.req.header(name), options.stopping)
    throw notFound('no such path; /openapi.json lists all paths')
  })
  app.onError((error, context) => {
    const problem = problemOf(error)
    if (!problem) context.set('error', error)
    return (problem ?? new Problem(500, 'internal', "internal error; see the daemon's log")).toResponse()
  })
  return app as unknown as Hono
}

async function run(route: Route, context: Context, options: AppOptions): Promise<Answer | Response> {
  const { guard, facilities, maxBodyBytes, stopping } = options
  const header = (name: string) => context.req.header(name)
  const signal = AbortSignal.any([context.req.raw.signal, stopping])
  const caller = await guard.admit(route.demand, header, signal)
  const params = route.params && checked('path', context.req.param(), route.params)
  const query = queryOf(new URL(context.req.url).searchParams, route.query)
  const body = route.body && (await bodyOf(route, route.body, context.req.raw, maxBodyBytes))
  return route.run({ params, query, body, header, request: context.req.raw, signal, caller }, facilities)
}

async function bodyOf(route: Route, schema: z.ZodType, request: Request, most: number): Promise<unknown> {
  const text = await readBody(request, Math.min(most, route.maxBodyBytes ?? most))
  if (text === undefined && !route.bodyOptional)
    throw new Problem(400, 'invalid', 'the body is missing; send a JSON object')
  return checked('body', text === undefined ? {} : jsonOf(text), schema)
}

/** Sends JSON; a caller that polls and already has it gets 304. */
function respond(answer: Answer | Response, context: Context): Response {
  if (answer instanceof Response) return answer
  const { status = 200, json, headers = {} } = answer
  const text = `${JSON.stringify(json)}\n`
  const isPolled = status === 200 && (context.req.method === 'GET' || context.req.method === 'HEAD')
  if (!isPolled)
    return new Response(text, {
      status,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    })
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
  const caching = { etag, 'cache-control': 'private, no-cache', ...headers }
  const known = context.req.header('if-none-match')?.split(',') ?? []
  if (known.some(tag => tag.trim().replace(/^W\//, '') === etag))
    return new Response(null, { status: 304, headers: caching })
  return new Response(text, { status, headers: { 'content-type': 'application/json', ...caching } })
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
