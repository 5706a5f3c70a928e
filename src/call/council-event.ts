import type { CallEvent } from './event.ts'

/** What happens in a council; `at` is epoch milliseconds. */
export type CouncilEvent =
  /** Something happened to the call of a member, or of the aggregator, whose name is then undefined. */
  | { type: 'call'; at: number; member: string | undefined; event: CallEvent }
  | { type: 'member.settled'; at: number; member: string; as: 'success' | 'failure' | 'aborted' }
  | { type: 'quorum.reached'; at: number; successes: number; pending: number; graceMs: number }
  | { type: 'aggregating'; at: number; successes: number }
