import type { Time } from '../../time/time.ts'
import type { NewAttempt } from '../attempt.ts'
import type { DeliveryEnd, NewDelivery } from '../delivery.ts'
import type { EventType } from '../event.ts'
import type { NewLabel } from '../label.ts'
import type { Changes, HandBack, MarkedDone, RunRecord } from '../ledger.ts'
import type { NewNotice, ResolvedBy, WhileOpen } from '../notice.ts'
import type { Fence } from '../operation.ts'
import type { Parking, Unparking } from '../parking.ts'
import type { Rejudgement } from '../rejudgement.ts'
import type { Settlement } from '../settlement.ts'
import type { UnknownSighting } from '../unknown.ts'
import { withoutSecrets } from '../without-secrets.ts'
import type { NewWorkflowRun, WorkflowChange } from '../workflow-run.ts'
import { type Asking, type Lease, numberFrom } from './asking.ts'
import { moveCursor } from './cursors.ts'
import { addDelivery, outdateDeliveries, settleDelivery } from './deliveries.ts'
import { discard, pruneOperations } from './forgetting.ts'
import { handToEngine } from './holds.ts'
import { addLabel, withdrawLabel } from './labels.ts'
import { cancel, edit, expire, markDone, park, revive, unpark } from './moves.ts'
import {
  addNotice,
  endSnooze,
  readNotices,
  readNoticesLike,
  resolveNotices,
  showNotices,
  snoozeNotices,
  snoozeNoticesLike,
} from './notices.ts'
import { rejudge } from './rejudging.ts'
import { rememberStep } from './remembered-steps.ts'
import { appendAttempt, handBackRun, recordRun, settleRun, takeOverRun } from './runs.ts'
import { setSetting } from './settings.ts'
import { markEscalated, recordUnknown } from './unknowns.ts'
import { addWorkflowRun, changeWorkflowRun, markIdleTold } from './workflows.ts'

/** How a database answers: at once, or after a while. */
export type How = 'now' | 'later'

/** The answer of such a database. */
export type Answer<H extends How, T> = { now: T; later: Promise<T> }[H]

/** The writes of a transaction that are the same on both databases. */
export abstract class RecordWrites<H extends How> {
  protected readonly time: Time

  constructor(time: Time) {
    this.time = time
  }

  /** Answers the questions of a record. */
  protected abstract ask<T>(questions: () => Asking<T>): Answer<H, T>

  /** Begins the next run of an operation whose runner was lost. */
  protected takeOver(id: string, from: string, lease?: Lease) {
    return this.ask(() => takeOverRun(id, from, lease, this.time))
  }

  append(fence: Fence, attempt: NewAttempt, options: { lostRunner?: boolean } = {}) {
    return this.ask(() => appendAttempt(fence, attempt, options, this.time))
  }

  record(fence: Fence, record: RunRecord) {
    return this.ask(() => recordRun(fence, record, this.time))
  }

  settle(fence: Fence, settlement: Settlement) {
    return this.ask(() => settleRun(fence, settlement, this.time))
  }

  handBack(fence: Fence, options: HandBack = {}) {
    return this.ask(() => handBackRun(fence, options, this.time))
  }

  cancel(id: string, reason: string) {
    return this.ask(() => cancel(id, reason, this.time))
  }

  revive(id: string, dueAt?: number) {
    return this.ask(() => revive(id, dueAt, this.time))
  }

  unpark(id: string, why: Unparking) {
    return this.ask(() => unpark(id, why, this.time))
  }

  park(id: string, why: Parking) {
    return this.ask(() => park(id, why, this.time))
  }

  rejudge(id: string, rejudgement: Rejudgement) {
    return this.ask(() => rejudge(id, rejudgement, this.time))
  }

  expire(id: string, reason: string) {
    return this.ask(() => expire(id, reason, this.time))
  }

  markDone(id: string, done: MarkedDone) {
    return this.ask(() => markDone(id, done, this.time))
  }

  edit(id: string, changes: Changes) {
    return this.ask(() => edit(id, changes, this.time))
  }

  hold(id: string, engine: string) {
    return this.ask(() => handToEngine(id, engine, this.time))
  }

  discard(id: string) {
    return this.ask(() => discard(id, this.time.now()))
  }

  /** Deletes these old operations, with one event for all. Returns how many were deleted. */
  prune(numbers: readonly number[]) {
    return this.ask(() => pruneOperations(numbers, this.time.now()))
  }

  tell(type: EventType, data: Record<string, unknown>) {
    return this.ask(() => numberFrom({ tell: type, at: this.time.now(), data: withoutSecrets(data) }))
  }

  setSetting(name: string, value: unknown) {
    return this.ask(() => setSetting(name, value))
  }

  moveCursor(consumer: string, from: number, to: number) {
    return this.ask(() => moveCursor(consumer, from, to))
  }

  recordUnknown(sighting: UnknownSighting) {
    return this.ask(() => recordUnknown(sighting, this.time.now()))
  }

  markEscalated(fingerprint: string) {
    return this.ask(() => markEscalated(fingerprint, this.time.now()))
  }

  addLabel(label: NewLabel) {
    return this.ask(() => addLabel(label, this.time.now()))
  }

  withdrawLabel(id: string, who: string) {
    return this.ask(() => withdrawLabel(id, who, this.time.now()))
  }

  addNotice(notice: NewNotice, whileOpen?: WhileOpen) {
    return this.ask(() => addNotice(notice, whileOpen, this.time.now()))
  }

  resolveNotices(which: ResolvedBy, resolution: string) {
    return this.ask(() => resolveNotices(which, resolution, this.time.now()))
  }

  readNotices(ids: readonly string[], by: string) {
    return this.ask(() => readNotices(ids, by, this.time.now()))
  }

  readNoticesLike(id: string, by: string, most: number) {
    return this.ask(() => readNoticesLike(id, by, most, this.time.now()))
  }

  snoozeNotices(ids: readonly string[], until: number) {
    return this.ask(() => snoozeNotices(ids, until, this.time.now()))
  }

  snoozeNoticesLike(id: string, until: number, most: number) {
    return this.ask(() => snoozeNoticesLike(id, until, most, this.time.now()))
  }

  endSnooze(id: string, until: number) {
    return this.ask(() => endSnooze(id, until))
  }

  showNotices(ids: readonly string[]) {
    return this.ask(() => showNotices(ids, this.time.now()))
  }

  addDelivery(delivery: NewDelivery) {
    return this.ask(() => addDelivery(delivery, this.time.now()))
  }

  settleDelivery(id: string, end: DeliveryEnd) {
    return this.ask(() => settleDelivery(id, end, this.time.now()))
  }

  outdateDeliveries(ids: readonly string[], isOutdated: boolean) {
    return this.ask(() => outdateDeliveries(ids, isOutdated, this.time.now()))
  }

  addWorkflowRun(run: NewWorkflowRun) {
    return this.ask(() => addWorkflowRun(run, this.time.now()))
  }

  changeWorkflowRun(id: string, version: number, change: WorkflowChange) {
    return this.ask(() => changeWorkflowRun(id, version, change, this.time.now()))
  }

  markIdleTold(id: string, version: number) {
    return this.ask(() => markIdleTold(id, version, this.time.now()))
  }

  rememberStep(fence: Fence, step: string, value: unknown) {
    return this.ask(() => rememberStep(fence, step, value, this.time.now()))
  }
}
