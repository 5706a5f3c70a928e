import type { Disposition, NoticePriority } from '../ledger/notice.ts'
import type { CancelReason, ParkReason } from '../verdict/verdict.ts'

/** Whether a notice needs action, and how much it matters: the two are independent. */
export interface Weight {
  disposition: Disposition
  priority: NoticePriority
}

/** An operation that ended without success. */
export const DEAD: Readonly<Record<CancelReason, Weight & { words: string }>> = {
  refused: { disposition: 'actionable', priority: 'high', words: 'was refused' },
  exhausted: { disposition: 'actionable', priority: 'high', words: 'failed too often' },
  expired: { disposition: 'actionable', priority: 'high', words: 'waited too long' },
  unverifiable: {
    disposition: 'actionable',
    priority: 'high',
    words: 'may have taken effect, and that cannot be checked',
  },
  // The person who cancelled it already knows.
  cancelled: { disposition: 'information', priority: 'low', words: 'was cancelled' },
  stopped: { disposition: 'actionable', priority: 'normal', words: 'was stopped by a limit you set' },
}

/** A parked operation: for its session, or for people if it has none and no other notice tells them the cause. */
export const PARKED: Readonly<Record<ParkReason, { session: Weight; people: Weight; words: string }>> = {
  label: {
    session: { disposition: 'information', priority: 'normal' },
    people: { disposition: 'actionable', priority: 'high' },
    words: 'waits for a label: its failure is unknown',
  },
  login: {
    session: { disposition: 'information', priority: 'normal' },
    people: { disposition: 'actionable', priority: 'high' },
    words: 'waits for a login',
  },
  payment: {
    session: { disposition: 'information', priority: 'normal' },
    people: { disposition: 'actionable', priority: 'urgent' },
    words: 'waits for a payment',
  },
  runner: {
    session: { disposition: 'information', priority: 'normal' },
    people: { disposition: 'actionable', priority: 'normal' },
    words: 'waits for a runner that has its capability',
  },
  secret: {
    session: { disposition: 'information', priority: 'normal' },
    people: { disposition: 'actionable', priority: 'high' },
    words: 'waits for a key or variable',
  },
  // The session that submitted it can fix them.
  parameters: {
    session: { disposition: 'actionable', priority: 'high' },
    people: { disposition: 'actionable', priority: 'high' },
    words: 'waits for valid parameters',
  },
}

/** An operation whose schedule or workflow run has a notice of its own. */
export const TOLD_ELSEWHERE: Weight = { disposition: 'information', priority: 'low' }
/** An operation succeeded after its caller had stopped waiting. */
export const SUCCEEDED: Weight = { disposition: 'information', priority: 'normal' }
/** A provider gets no calls because they fail. Mulligan keeps probing it. */
export const DOWN: Weight = { disposition: 'information', priority: 'normal' }
/** A provider is at a limit that lifts by itself, but not soon. */
export const LIMIT: Weight = { disposition: 'information', priority: 'normal' }
/** A provider works again. */
export const BACK: Weight = { disposition: 'information', priority: 'low' }
/** A failure that no rule or label matches. */
export const UNKNOWN: Weight = { disposition: 'actionable', priority: 'high' }
/** An agent suggests a label for an unknown failure; a person decides. */
export const LABEL_PROPOSED: Weight = { disposition: 'actionable', priority: 'normal' }
/** A schedule keeps failing. */
export const SCHEDULE_FAILING: Weight = { disposition: 'actionable', priority: 'high' }
/** A schedule works again. */
export const SCHEDULE_RECOVERED: Weight = { disposition: 'information', priority: 'low' }
/** A changed config cannot be used, so the one before stays in force. */
export const CONFIG_TROUBLE: Weight = { disposition: 'actionable', priority: 'high' }
/** A workflow run waits for an answer. */
export const WORKFLOW_ASKS: Weight = { disposition: 'actionable', priority: 'high' }
/** A workflow run makes no progress. */
export const WORKFLOW_IDLE: Weight = { disposition: 'actionable', priority: 'normal' }
/** A workflow run failed. */
export const WORKFLOW_FAILED: Weight = { disposition: 'actionable', priority: 'high' }
/** A workflow run succeeded or was cancelled. */
export const WORKFLOW_ENDED: Weight = { disposition: 'information', priority: 'normal' }
