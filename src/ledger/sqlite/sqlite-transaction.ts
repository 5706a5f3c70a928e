import type { DatabaseSync } from 'node:sqlite'
import type { Time } from '../../time/time.ts'
import type { NewAttempt } from '../attempt.ts'
import type { DeliveryEnd, NewDelivery } from '../delivery.ts'
import { LedgerError } from '../error.ts'
import type { EventType } from '../event.ts'
import type { NewLabel } from '../label.ts'
import type {
  Appended,
  CancelOutcome,
  Changes,
  HandBack,
  Inserted,
  LedgerTransaction,
  RunRecord,
  Started,
} from '../ledger.ts'
import type { NewNotice, ResolvedBy, WhileOpen } from '../notice.ts'
import type { Fence, NewOperation } from '../operation.ts'
import type { Parking, Unparking } from '../parking.ts'
import type { Rejudged, Rejudgement } from '../rejudgement.ts'
import { numberOf } from '../row/rows.ts'
import type { Settled, Settlement } from '../settlement.ts'
import type { UnknownSighting } from '../unknown.ts'
import { withoutSecrets } from '../without-secrets.ts'
import type { NewWorkflowRun, WorkflowChange } from '../workflow-run.ts'
import { Attempts } from './attempts.ts'
import { CapabilityCoverage } from './capability-coverage.ts'
import { Cursors } from './cursors.ts'
import { DeliveryRecords } from './delivery-records.ts'
import { EventLog } from './event-log.ts'
import { Holds } from './holds.ts'
import { Insertions } from './insertions.ts'
import { LabelRecords } from './label-records.ts'
import { Moves } from './moves.ts'
import { NoticeRecords } from './notice-records.ts'
import { Numbering } from './numbering.ts'
import { Rejudging } from './rejudging.ts'
import { RememberedSteps } from './remembered-steps.ts'
import { RunEnds } from './run-ends.ts'
import { RunningRows } from './running-rows.ts'
import { Runs } from './runs.ts'
import { Statements } from './statements.ts'
import { UnknownRecords } from './unknown-records.ts'
import { WorkflowRecords } from './workflow-records.ts'

/** The writes of a transaction on SQLite, all synchronous. Statements are prepared once per connection. */
export class SqliteTransaction implements LedgerTransaction {
  /** The connection, for an engine's own tables. */
  readonly db: DatabaseSync
  readonly #time: Time
  readonly #numbering: Numbering
  readonly #events: EventLog
  readonly #insertions: Insertions
  readonly #runs: Runs
  readonly #ends: RunEnds
  readonly #holds: Holds
  readonly #moves: Moves
  readonly #rejudging: Rejudging
  /** Statements of this connection that few processes need. */
  readonly statements: Statements
  readonly cursors: Cursors
  readonly unknowns: UnknownRecords
  readonly labels: LabelRecords
  readonly notices: NoticeRecords
  readonly deliveries: DeliveryRecords
  readonly workflows: WorkflowRecords
  readonly rememberedSteps: RememberedSteps
  /** When runners had which capabilities. */
  readonly coverage: CapabilityCoverage

  constructor(db: DatabaseSync, time: Time) {
    this.db = db
    this.#time = time
    this.#numbering = new Numbering(db)
    this.#events = new EventLog(db, this.#numbering)
    this.#insertions = new Insertions(db, time, this.#numbering)
    this.coverage = new CapabilityCoverage(db)
    this.statements = new Statements(db)
    const [attempts, running] = [new Attempts(db, this.statements), new RunningRows(db)]
    this.#runs = new Runs(db, time, this.#events, attempts, running, this.coverage)
    this.#ends = new RunEnds(db, time, this.#events, attempts, running)
    this.#holds = new Holds(db, time, this.#events)
    this.workflows = new WorkflowRecords(db, this.statements, time)
    this.#moves = new Moves(db, time, this.#events, this.#holds, this.workflows)
    this.#rejudging = new Rejudging(this.statements, time, this.#events, attempts)
    this.cursors = new Cursors(this.statements)
    this.unknowns = new UnknownRecords(this.statements, time, this.#events)
    this.labels = new LabelRecords(this.statements, time, this.#events)
    this.notices = new NoticeRecords(this.statements, time)
    this.deliveries = new DeliveryRecords(this.statements, time)
    this.rememberedSteps = new RememberedSteps(this.statements, time)
  }

  /** Begins a transaction: state cached from the last one may have changed. */
  begin(): void {
    if (this.#numbering.isBehind()) this.#insertions.forget()
  }

  /** Discards everything cached by the rolled-back transaction. */
  rolledBack(): void {
    this.#numbering.rolledBack()
    this.#insertions.forget()
    this.#runs.forget()
  }

  insert(operations: readonly NewOperation[]): Inserted[] {
    return this.#insertions.insert(operations)
  }

  start(id: string, takeover?: { runner: string }): Started | undefined {
    return this.#runs.start(numberOf(id) ?? 0, takeover)
  }

  /** Moves all scheduled ones among these to running. */
  startAll(numbers: readonly number[]): Started[] {
    return this.#runs.startAll(numbers)
  }

  append(fence: Fence, attempt: NewAttempt, options?: { lostRunner?: boolean }): Appended {
    return this.#runs.append(fence, attempt, options)
  }

  record(fence: Fence, record: RunRecord): boolean {
    return this.#runs.record(fence, record)
  }

  settle(fence: Fence, settlement: Settlement): Settled {
    return this.#ends.settle(fence, settlement)
  }

  handBack(fence: Fence, options?: HandBack): Settled {
    return this.#ends.handBack(fence, options)
  }

  cancel(id: string, reason: string): CancelOutcome {
    return this.#moves.cancel(id, reason)
  }

  revive(id: string, dueAt?: number): boolean {
    return this.#moves.revive(id, dueAt)
  }

  unpark(id: string, why: Unparking): boolean {
    return this.#moves.unpark(id, why)
  }

  park(id: string, why: Parking): boolean {
    return this.#moves.park(id, why)
  }

  rejudge(id: string, rejudgement: Rejudgement): Rejudged {
    return this.#rejudging.rejudge(id, rejudgement)
  }

  expire(id: string, reason: string): boolean {
    return this.#moves.expire(id, reason)
  }

  edit(id: string, changes: Changes): boolean {
    return this.#moves.edit(id, changes)
  }

  hold(ids: readonly string[], provider: string): number {
    return this.#holds.hold(ids, provider)
  }

  free(ids: readonly string[]): number {
    return this.#holds.free(ids)
  }

  discard(id: string): boolean {
    return this.#moves.discard(id)
  }

  /** Deletes operations that are too old, and writes one event for all of them. Returns how many there were. */
  prune(ids: readonly string[]): number {
    // Reserved before the deletion: the number that was the highest until now must not be used again.
    const event = this.#events.next()
    const pruned = ids.filter(id => this.#moves.forget(id)).length
    if (pruned > 0) this.#events.pruned(event, pruned, this.#time.now())
    return pruned
  }

  tell(type: EventType, data: Record<string, unknown>): number {
    return this.#events.general(this.#time.now(), type, withoutSecrets(data))
  }

  moveCursor(consumer: string, from: number, to: number): boolean {
    return this.cursors.move(consumer, from, to)
  }

  recordUnknown(sighting: UnknownSighting): { created: boolean; count: number; escalatedAt?: number } {
    return this.unknowns.record(sighting)
  }

  markEscalated(fingerprint: string): boolean {
    return this.unknowns.markEscalated(fingerprint)
  }

  addLabel(label: NewLabel): { id: string; replaced?: string } {
    return this.labels.add(label)
  }

  withdrawLabel(id: string, who: string): boolean {
    return this.labels.withdraw(id, who)
  }

  addNotice(notice: NewNotice, whileOpen?: WhileOpen): { id: string; created: boolean } {
    return this.notices.add(notice, whileOpen)
  }

  resolveNotices(which: ResolvedBy, resolution: string): number {
    return this.notices.resolve(which, resolution)
  }

  readNotices(ids: readonly string[], by: string): number {
    return this.notices.read(ids, by)
  }

  showNotices(ids: readonly string[]): number {
    return this.notices.show(ids)
  }

  addDelivery(delivery: NewDelivery): { id: string; created: boolean } {
    return this.deliveries.add(delivery)
  }

  settleDelivery(id: string, end: DeliveryEnd): boolean {
    return this.deliveries.settle(id, end)
  }

  outdateDeliveries(ids: readonly string[], isOutdated: boolean): number {
    return this.deliveries.outdate(ids, isOutdated)
  }

  addWorkflowRun(run: NewWorkflowRun): { id: string; created: boolean } {
    return this.workflows.add(run)
  }

  changeWorkflowRun(id: string, version: number, change: WorkflowChange): boolean {
    return this.workflows.change(id, version, change)
  }

  markIdleTold(id: string, version: number): boolean {
    return this.workflows.markIdleTold(id, version)
  }

  rememberStep(fence: Fence, step: string, value: unknown): boolean {
    return this.rememberedSteps.remember(fence, step, value)
  }
}

/**
 * The same writes, but refused outside a transaction: asynchronous work continues after it was refused, and would
 * otherwise store its later writes without the rest.
 */
export function onlyInside<T extends object>(writes: T, db: DatabaseSync): T {
  const bound = new Map<PropertyKey, unknown>()
  return new Proxy(writes, {
    get(target, name) {
      if (!db.isOpen || !db.isTransaction)
        throw new LedgerError('invalid', `${String(name)}: its transaction is over`)
      const known = bound.get(name)
      if (known !== undefined) return known
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      const method = value.bind(target)
      bound.set(name, method)
      return method
    },
  })
}
