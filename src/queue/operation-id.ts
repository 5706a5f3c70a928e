import type { Inserted } from '../ledger/ledger.ts'

declare const RESULT: unique symbol

/** The id of an operation: a text that also knows the type of its result, where the capability was given. */
export type OperationId<R = unknown> = string & { readonly [RESULT]?: R }

/** An operation that was submitted: its id, whether it is new, and when it is due. */
export interface Submitted<R = unknown> extends Inserted {
  /** Id of the operation, new or old. */
  id: OperationId<R>
}

/** Parameters and options of a call about one operation; the parameters may be left out where none is required. */
export type ParamsAndOptions<I, O> =
  Record<never, never> extends I ? [params?: I, options?: O] : [params: I, options?: O]
