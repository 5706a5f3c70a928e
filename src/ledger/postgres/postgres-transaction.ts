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
import { Cursors } from './cursors.ts'
import { DeliveryRecords } from './delivery-records.ts'
import { Holds } from './holds.ts'
import { Insertions } from './insertions.ts'
import { LabelRecords } from './label-records.ts'
import { Moves } from './moves.ts'
import { NoticeRecords } from './notice-records.ts'
import { OperationRows } from './operation-rows.ts'
import { Rejudging } from './rejudging.ts'
import { RememberedSteps } from './remembered-steps.ts'
import { type Ending, RunEnds } from './run-ends.ts'
import { type DueStart, type Lease, Runs } from './runs.ts'
import type { Sql } from './sql.ts'
import { Touched } from './touched.ts'
import { UnknownRecords } from './unknown-records.ts'
import { WorkflowRecords } from './workflow-records.ts'

/**
 * The writes of one transaction on PostgreSQL. They return promises, and run one after the other in the order of the calls,
 * even if the work awaits none of them.
 */
export class PostgresTransaction implements LedgerTransaction {
  /** The connection, for an engine's own tables. Await its answer before the next write. */
  readonly sql: Sql
  readonly notices: NoticeRecords
  readonly workflows: WorkflowRecords
  /** What an engine must know at the end. */
  readonly touched = new Touched()
  readonly #time: Time
  readonly #rows: OperationRows
  readonly #insertions: Insertions
  readonly #runs: Runs
  readonly #ends: RunEnds
  readonly #holds: Holds
  readonly #moves: Moves
  readonly #rejudging: Rejudging
  readonly #cursors: Cursors
  readonly #unknowns: UnknownRecords
  readonly #labels: LabelRecords
  readonly #deliveries: DeliveryRecords
  readonly #remembered: RememberedSteps
  #last: Promise<unknown> = Promise.resolve()
  #failure: { error: unknown } | undefined
  #isOver = false

  constructor(sql: Sql, time: Time) {
    this.sql = sql
    this.#time = time
    this.#rows = new OperationRows(sql)
    const attempts = new Attempts(sql)
    this.#insertions = new Insertions(sql, time)
    this.#runs = new Runs(sql, time, this.#rows, attempts)
    this.#ends = new RunEnds(sql, time, this.#rows, attempts)
    this.#holds = new Holds(sql, time)
    this.#moves = new Moves(sql, time, this.#rows, this.#holds)
    this.#rejudging = new Rejudging(sql, time, this.#rows, attempts)
    this.#cursors = new Cursors(sql)
    this.#unknowns = new UnknownRecords(sql, time, this.#rows)
    this.#labels = new LabelRecords(sql, time, this.#rows)
    this.notices = new NoticeRecords(sql, time)
    this.#deliveries = new DeliveryRecords(sql, time)
    this.workflows = new WorkflowRecords(sql, time)
    this.#remembered = new RememberedSteps(sql, time)
  }

  /** Waits for all writes, throws if one failed, and refuses further ones. */
  async end(): Promise<void> {
    await this.#last
    this.#isOver = true
    if (this.#failure) throw this.#failure.error
  }

  /** Call when the work failed: refuses further writes. */
  async abandon(): Promise<void> {
    this.#isOver = true
    await this.#last
  }

  insert(operations: readonly NewOperation[]): Promise<Inserted[]> {
    return this.#then(async () => {
      const inserted = await this.#insertions.insert(operations)
      inserted.forEach(({ id, created, dueAt }, place) => {
        const { capability, priority = 0 } = operations[place] as NewOperation
        if (created)
          this.touched.insert({ id: numberOf(id) as number, capability, run: 0, rank: 0 - priority, dueAt })
      })
      return inserted
    })
  }

  start(id: string, takeover?: { runner: string }, lease?: Lease): Promise<Started | undefined> {
    return this.#then(async () => {
      const started = await this.#runs.start(id, takeover, lease)
      if (started && !takeover) this.#began([started])
      return started
    })
  }

  /** Starts those of these operations that are scheduled, leased to one runner. */
  startAll(numbers: readonly number[], lengthsMs: readonly number[], runner: string): Promise<Started[]> {
    return this.#then(async () => {
      const started = await this.#runs.startAll(numbers, lengthsMs, runner)
      this.#began(started)
      return started
    })
  }

  /** Starts the most urgent due operations, if nothing is paused and no provider is closed. */
  startDue(start: DueStart): Promise<Started[]> {
    return this.#then(async () => {
      const started = await this.#runs.startDue(start)
      this.#began(started)
      return started
    })
  }

  append(fence: Fence, attempt: NewAttempt, options?: { lostRunner?: boolean }): Promise<Appended> {
    return this.#then(() => this.#runs.append(fence, attempt, options))
  }

  record(fence: Fence, record: RunRecord): Promise<boolean> {
    return this.#then(() => this.#runs.record(fence, record))
  }

  settle(fence: Fence, settlement: Settlement): Promise<Settled> {
    return this.#then(async () => this.#ended(fence, await this.#ends.settle(fence, settlement)))
  }

  /** Ends many runs. */
  settleAll(endings: readonly Ending[]): Promise<Settled[]> {
    return this.#then(async () => {
      const settled = await this.#ends.settleAll(endings)
      settled.forEach((each, place) => void this.#ended((endings[place] as Ending).fence, each))
      return settled
    })
  }

  handBack(fence: Fence, options?: HandBack): Promise<Settled> {
    return this.#then(async () => this.#ended(fence, await this.#ends.handBack(fence, options)))
  }

  cancel(id: string, reason: string): Promise<CancelOutcome> {
    return this.#changing([id], () => this.#moves.cancel(id, reason))
  }

  revive(id: string, dueAt?: number): Promise<boolean> {
    return this.#changing([id], () => this.#moves.revive(id, dueAt))
  }

  unpark(id: string, why: Unparking): Promise<boolean> {
    return this.#changing([id], () => this.#moves.unpark(id, why))
  }

  park(id: string, why: Parking): Promise<boolean> {
    return this.#changing([id], () => this.#moves.park(id, why))
  }

  rejudge(id: string, rejudgement: Rejudgement): Promise<Rejudged> {
    return this.#changing([id], () => this.#rejudging.rejudge(id, rejudgement))
  }

  expire(id: string, reason: string): Promise<boolean> {
    return this.#then(() => this.#moves.expire(id, reason))
  }

  edit(id: string, changes: Changes): Promise<boolean> {
    return this.#changing([id], () => this.#moves.edit(id, changes))
  }

  async hold(ids: readonly string[], provider: string): Promise<number> {
    return (await this.holdThem(ids, provider)).length
  }

  async free(ids: readonly string[]): Promise<number> {
    return (await this.freeThem(ids)).length
  }

  /** Like `hold`, but returns the numbers of those that were not already held for this provider. */
  holdThem(ids: readonly string[], provider: string): Promise<number[]> {
    return this.#changing(ids, () => this.#holds.hold(ids, provider))
  }

  /** Like `free`, but returns the numbers of those that were held. */
  freeThem(ids: readonly string[]): Promise<number[]> {
    return this.#changing(ids, () => this.#holds.free(ids))
  }

  discard(id: string): Promise<boolean> {
    return this.#then(() => this.#moves.discard(id))
  }

  /** Deletes these old operations, with one event for all. Returns how many were deleted. */
  prune(numbers: readonly number[]): Promise<number> {
    return this.#then(async () => {
      const operations = await this.#moves.forget(numbers)
      if (operations > 0) await this.#rows.tell(this.#time.now(), 'pruned', { operations })
      return operations
    })
  }

  tell(type: EventType, data: Record<string, unknown>): Promise<number> {
    return this.#then(() => this.#rows.tell(this.#time.now(), type, withoutSecrets(data)))
  }

  moveCursor(consumer: string, from: number, to: number): Promise<boolean> {
    return this.#then(() => this.#cursors.move(consumer, from, to))
  }

  recordUnknown(
    sighting: UnknownSighting,
  ): Promise<{ created: boolean; count: number; escalatedAt?: number }> {
    return this.#then(() => this.#unknowns.record(sighting))
  }

  markEscalated(fingerprint: string): Promise<boolean> {
    return this.#then(() => this.#unknowns.markEscalated(fingerprint))
  }

  addLabel(label: NewLabel): Promise<{ id: string; replaced?: string }> {
    return this.#then(() => this.#labels.add(label))
  }

  withdrawLabel(id: string, who: string): Promise<boolean> {
    return this.#then(() => this.#labels.withdraw(id, who))
  }

  addNotice(notice: NewNotice, whileOpen?: WhileOpen): Promise<{ id: string; created: boolean }> {
    return this.#then(() => this.notices.add(notice, whileOpen))
  }

  resolveNotices(which: ResolvedBy, resolution: string): Promise<number> {
    return this.#then(() => this.notices.resolve(which, resolution))
  }

  readNotices(ids: readonly string[], by: string): Promise<number> {
    return this.#then(() => this.notices.read(ids, by))
  }

  showNotices(ids: readonly string[]): Promise<number> {
    return this.#then(() => this.notices.show(ids))
  }

  addDelivery(delivery: NewDelivery): Promise<{ id: string; created: boolean }> {
    return this.#then(() => this.#deliveries.add(delivery))
  }

  settleDelivery(id: string, end: DeliveryEnd): Promise<boolean> {
    return this.#then(() => this.#deliveries.settle(id, end))
  }

  outdateDeliveries(ids: readonly string[], isOutdated: boolean): Promise<number> {
    return this.#then(() => this.#deliveries.outdate(ids, isOutdated))
  }

  addWorkflowRun(run: NewWorkflowRun): Promise<{ id: string; created: boolean }> {
    return this.#then(() => this.workflows.add(run))
  }

  changeWorkflowRun(id: string, version: number, change: WorkflowChange): Promise<boolean> {
    return this.#then(() => this.workflows.change(id, version, change))
  }

  markIdleTold(id: string, version: number): Promise<boolean> {
    return this.#then(() => this.workflows.markIdleTold(id, version))
  }

  rememberStep(fence: Fence, step: string, value: unknown): Promise<boolean> {
    return this.#then(() => this.#remembered.remember(fence, step, value))
  }

  /** Notes that runs began: their operations no longer wait. */
  #began(started: readonly Started[]): void {
    for (const { operation } of started)
      this.touched.start(numberOf(operation.id) as number, operation.capability, operation.run)
  }

  /** Notes that a run ended: an operation that is scheduled again waits for its next run. */
  #ended({ id }: Fence, settled: Settled): Settled {
    if (settled.settled && settled.state === 'scheduled') this.touched.change(numberOf(id) as number)
    return settled
  }

  #changing<T>(ids: readonly string[], verb: () => Promise<T>): Promise<T> {
    for (const id of ids) this.touched.change(numberOf(id) ?? 0)
    return this.#then(verb)
  }

  /** Runs after all earlier writes. After a failed write nothing runs: the transaction will be rolled back. */
  #then<T>(verb: () => Promise<T>): Promise<T> {
    if (this.#isOver) throw new LedgerError('invalid', 'the transaction of this write is already over')
    const done = this.#last.then(() => {
      if (this.#failure) throw this.#failure.error
      return verb()
    })
    this.#last = done.catch((error: unknown) => {
      this.#failure ??= { error }
    })
    return done
  }
}
