import type { Disposition, NoticePriority } from '../ledger/notice.ts'
import type { CancelReason, ParkReason } from '../verdict/verdict.ts'

/** Whether somebody has to act, and how much it matters: one does not follow from the other. */
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
    words: 'may have happened, and it cannot be told',
  },
  // Who cancelled it knows.
  cancelled: { disposition: 'information', priority: 'low', words: 'was cancelled' },
  stopped: { disposition: 'actionable', priority: 'normal', words: 'was stopped by a limit that you set' },
}

/** An operation that waits: for its session, and, where it has none or nobody else is told of the cause, for people. */
export const PARKED: Readonly<Record<ParkReason, { session: Weight; people: Weight; words: string }>> = {
  label: {
    session: { disposition: 'information', priority: 'normal' },
    people: { disposition: 'actionable', priority: 'high' },
    words: 'waits for a person to say what its failure is',
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
  // The session that submitted it can mend it.
  parameters: {
    session: { disposition: 'actionable', priority: 'high' },
    people: { disposition: 'actionable', priority: 'high' },
    words: 'waits for parameters that fit',
  },
}

/** It succeeded after all, when nobody was waiting for it any more. */
export const SUCCEEDED: Weight = { disposition: 'information', priority: 'normal' }
/** A provider gets no calls because they fail: it is tried again by itself. */
export const DOWN: Weight = { disposition: 'information', priority: 'normal' }
/** A provider works again. */
export const BACK: Weight = { disposition: 'information', priority: 'low' }
/** Nobody knows what a failure is. */
export const UNKNOWN: Weight = { disposition: 'actionable', priority: 'high' }
/** An agent says what an unknown failure is, and a person decides. */
export const LABEL_PROPOSED: Weight = { disposition: 'actionable', priority: 'normal' }
/** A schedule keeps failing. */
export const SCHEDULE_FAILING: Weight = { disposition: 'actionable', priority: 'high' }
/** A schedule works again. */
export const SCHEDULE_RECOVERED: Weight = { disposition: 'information', priority: 'low' }
/** A workflow run waits for an answer. */
export const WORKFLOW_ASKS: Weight = { disposition: 'actionable', priority: 'high' }
/** Nothing happens to a workflow run. */
export const WORKFLOW_IDLE: Weight = { disposition: 'actionable', priority: 'normal' }
/** A workflow run failed. */
export const WORKFLOW_FAILED: Weight = { disposition: 'actionable', priority: 'high' }
/** A workflow run succeeded, or somebody cancelled it. */
export const WORKFLOW_ENDED: Weight = { disposition: 'information', priority: 'normal' }
