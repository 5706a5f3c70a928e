import type { CallEvent } from './event.ts'

/** What happens in a council; `at` is in epoch milliseconds. */
export type CouncilEvent =
  /** An event of a member's call, or of the aggregator's, whose member is undefined. */
  | { type: 'call'; at: number; member: string | undefined; event: CallEvent }
  | { type: 'member.settled'; at: number; member: string; as: 'success' | 'failure' | 'aborted' }
  | { type: 'quorum.reached'; at: number; successes: number; pending: number; graceMs: number }
  | { type: 'aggregating'; at: number; successes: number }
