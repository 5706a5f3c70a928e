import type { z } from 'zod'
import type { Facilities } from './facilities.ts'
import type { SignedIn } from './sign-in.ts'
import type { Access } from './token-files.ts'

/** Who may call a route: anybody, whoever may look, or whoever may change things. */
export type Demand = 'open' | 'look' | 'change'

/** What a route is called with. */
export interface Call<P, Q, B> {
  /** Parts of the path. */
  params: P
  query: Q
  body: B
  /** Request headers by their names in lower case. */
  header: (name: string) => string | undefined
  /** The request itself; its body has been read if the route has a schema for it. */
  request: Request
  /** Aborted when the client goes away or the daemon stops. */
  signal: AbortSignal
  /** Who asks. Undefined on routes that are open. */
  caller: Caller | undefined
}

/** Who asks, and how they proved it. */
export interface Caller {
  access: Access
  /** The browser that is signed in. Undefined for a token. */
  browser?: SignedIn
}

/** What a route answers with. */
export interface Answer {
  /** Default 200. */
  status?: number
  /** Sent as JSON. */
  json: unknown
  headers?: Record<string, string>
}

/** One kind of answer, for the OpenAPI document. */
export interface AnswerKind {
  description: string
  /** Default none: the body is not JSON. */
  schema?: z.ZodType
  /** Media type. Default `application/json`. */
  type?: string
}

/** One route: what it takes, what it gives, and what it does. Validation and OpenAPI come from the same schemas. */
export interface RouteOf<P, Q, B> {
  method: 'get' | 'post' | 'patch'
  /** With parameters in braces, as OpenAPI writes them: `/v1/operations/{id}`. */
  path: string
  /** Name of the call in generated clients. */
  id: string
  /** One line for people. */
  summary: string
  demand: Demand
  /** Parts of the path. */
  params?: z.ZodType<P>
  query?: z.ZodType<Q>
  /** Default none: a body is not read. */
  body?: z.ZodType<B>
  /** Whether the body may be missing. Default false. */
  bodyOptional?: true
  /** Limit of its body in bytes, if lower than that of the config. */
  maxBodyBytes?: number
  /** Answers besides problems, by status. */
  answers: Readonly<Record<number, AnswerKind>>
  run: (call: Call<P, Q, B>, facilities: Facilities) => Answer | Response | Promise<Answer | Response>
}

/** A route whatever its types are. */
// biome-ignore lint/suspicious/noExplicitAny: what each takes is checked where it is made
export type Route = RouteOf<any, any, any>

/** Makes a route; its function sees the types of its schemas. */
export function route<P = undefined, Q = undefined, B = undefined>(spec: RouteOf<P, Q, B>): Route {
  return spec
}
