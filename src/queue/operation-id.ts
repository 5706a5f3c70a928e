import type { Inserted } from '../ledger/ledger.ts'

declare const RESULT: unique symbol

/** An operation's id: a string that also carries the type of its result, if the capability was given. */
export type OperationId<R = unknown> = string & { readonly [RESULT]?: R }

/** A submitted operation: its id, whether it is new, and when it is due. */
export interface Submitted<R = unknown> extends Inserted {
  /** Id of the operation, new or existing. */
  id: OperationId<R>
}

/** Parameters and options of a call about one operation; the parameters are optional if none is required. */
export type ParamsAndOptions<I, O> =
  Record<never, never> extends I ? [params?: I, options?: O] : [params: I, options?: O]
