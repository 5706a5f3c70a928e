import type { CallOptions } from '../call/options.ts'

/** Options of a call that an SDK makes: what the SDK itself decides is not among them. */
export type ModelCallOptions = Omit<
  CallOptions,
  | 'provider'
  | 'pool'
  | 'models'
  | 'model'
  | 'signal'
  | 'retry'
  | 'repeatable'
  | 'atomic'
  | 'resumable'
  | 'graceMs'
  | 'urgent'
>
