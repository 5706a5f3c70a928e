import type { z } from 'zod'
import type { Facilities } from './facilities.ts'
import type { Demand, Scope } from './scope.ts'
import type { StreamWriter } from './send.ts'
import type { SignedIn } from './sign-in.ts'

/** The arguments of a route. */
export interface Call<P, Q, B> {
  /** Parameters in the path. */
  params: P
  query: Q
  body: B
  /** Request headers, by lower-case name. */
  header: (name: string) => string | undefined
  /** The raw request. Its body has already been read if the route has a schema for it. */
  request: Request
  /** Aborts when the client disconnects or the daemon stops. */
  signal: AbortSignal
  /** The caller; undefined on open routes. */
  caller: Caller | undefined
  /** Whether the caller may still read. Ask again before each part of an answer that takes long. */
  mayStillLook: () => boolean
}

/** The sender of a request, and what it may do. */
export interface Caller {
  scope: Scope
  /** Who it is, in the record of changes: `token ci`, `browser`, `jane by proxy`. */
  name: string
  /** Whether it is the token of the data folder, which is the owner's own. */
  isOwner: boolean
  /** The signed-in browser; undefined for others. */
  browser?: SignedIn
}

/** The answer of a route. */
export interface Answer<J = unknown> {
  /** Default 200. */
  status?: number
  /** Sent as JSON. */
  json: J
  headers?: Record<string, string>
}

/** An answer of unknown length. */
export interface StreamAnswer {
  headers: Record<string, string>
  /** Writes until it returns. */
  stream: (writer: StreamWriter) => Promise<void>
}

/** One kind of answer, for the OpenAPI document. */
export interface AnswerKind<J = unknown> {
  description: string
  /** Default none: the body is not JSON. */
  schema?: z.ZodType<J>
  /** Media type. Default `application/json`. */
  type?: string
}

/** What may be sent as this JSON: lists may be readonly. */
type Sendable<J> = J extends readonly (infer E)[]
  ? readonly Sendable<E>[]
  : J extends object
    ? { readonly [K in keyof J]: Sendable<J[K]> }
    : J

/** Any answer. A `Response` is sent as it is. */
export type AnyAnswer<J = unknown> = Answer<J> | StreamAnswer | Response

/** One route: its inputs, its answers and its function. Validation and OpenAPI use the same schemas. */
export interface RouteOf<P, Q, B, J> {
  method: 'get' | 'post' | 'patch'
  /** With parameters in braces, as in OpenAPI: `/v1/operations/{id}`. */
  path: string
  /** Name of the call in generated clients. */
  id: string
  /** One line for people. */
  summary: string
  demand: Demand
  /** Parameters in the path. */
  params?: z.ZodType<P>
  query?: z.ZodType<Q>
  /** Default none: a body is not read. */
  body?: z.ZodType<B>
  /**
   * Reads the most common bodies as the schema would, in a fraction of the time; undefined leaves a body to the schema.
   * Default none.
   */
  plainBody?: (json: unknown) => B | undefined
  /** Whether the body may be missing. Default false. */
  bodyOptional?: true
  /** Limit of the body in bytes, if lower than the config's. */
  maxBodyBytes?: number
  /** Answers besides problems, by status. */
  answers: Readonly<Record<number, AnswerKind<J>>>
  run: (
    call: Call<P, Q, B>,
    facilities: Facilities,
  ) => AnyAnswer<Sendable<NoInfer<J>>> | Promise<AnyAnswer<Sendable<NoInfer<J>>>>
}

/** A route of any types. */
// biome-ignore lint/suspicious/noExplicitAny: `route` checks the types where a route is made
export type Route = RouteOf<any, any, any, any>

/** Makes a route, and gives its function the types of its schemas; its answer must fit its schema. */
export function route<P = undefined, Q = undefined, B = undefined, J = unknown>(
  spec: RouteOf<P, Q, B, J>,
): Route {
  return spec
}
