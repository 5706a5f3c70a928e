import type { Time } from '../../time/time.ts'
import type { Attempt } from '../attempt.ts'
import type { BillLine, BillQuery, BillRow } from '../bill.ts'
import type { Delivery, DeliveryFilter } from '../delivery.ts'
import type { LedgerEvent, TimelineOptions } from '../event.ts'
import type { Page, PageRequest } from '../filter.ts'
import type { Label, LabelFilter } from '../label.ts'
import type { Notice, NoticeFilter, NoticeGroups } from '../notice.ts'
import type { Operation } from '../operation.ts'
import type { RememberedStep } from '../remembered-step.ts'
import type { RunnerRecord } from '../runner-record.ts'
import type { Unknown, UnknownFilter } from '../unknown.ts'
import type {
  StepDeadline,
  StepOfOperation,
  StepResult,
  WorkflowAction,
  WorkflowRun,
  WorkflowRunFilter,
} from '../workflow-run.ts'
import type { Asking } from './asking.ts'
import { attemptsOf } from './attempts.ts'
import { addToBill, billOf } from './bill.ts'
import { cursorOf, moveCursor } from './cursors.ts'
import { deliveriesPage } from './deliveries.ts'
import { nextDueAt } from './holds.ts'
import { labels } from './labels.ts'
import { nextSnoozeEnd, noticesPage, noticesToActOn } from './notices.ts'
import { operationOf, operationOfKey, timelineOf, timelineWithProviders } from './operations.ts'
import { rememberedSteps } from './remembered-steps.ts'
import { runnerLeft, runnerSeen, runnersAlive } from './runners.ts'
import { setSetting, settingOf } from './settings.ts'
import { unknownsOf, unknownsPage } from './unknowns.ts'
import {
  stepDeadlines,
  stepResult,
  stepsOfOperations,
  workflowActions,
  workflowPlan,
  workflowRun,
  workflowRunsPage,
} from './workflows.ts'

/** What a ledger reads and writes outside transactions in the same way on both databases. */
export abstract class Records {
  /** The clock for all times in the ledger. */
  readonly time: Time

  constructor(time: Time) {
    this.time = time
  }

  /** Answers the questions of a record that only reads, an engine's own as well. */
  abstract ask<T>(questions: () => Asking<T>): Promise<T>
  /** Answers the questions of a record, an engine's own as well, in a transaction of its own. */
  abstract write<T>(questions: () => Asking<T>): Promise<T>

  get(id: string): Promise<Operation | undefined> {
    return this.ask(() => operationOf(id, this.time.now()))
  }

  find(capability: string, key: string): Promise<Operation | undefined> {
    return this.ask(() => operationOfKey(capability, key, this.time.now()))
  }

  nextDueAt(): Promise<number | undefined> {
    return this.ask(() => nextDueAt(this.time.now()))
  }

  attempts(id: string): Promise<readonly Attempt[]> {
    return this.ask(() => attemptsOf(id))
  }

  timeline(id: string, { providers = false }: TimelineOptions = {}): Promise<readonly LedgerEvent[]> {
    return this.ask(() => (providers ? timelineWithProviders(id, this.time.now()) : timelineOf(id)))
  }

  cursor(consumer: string): Promise<number> {
    return this.ask(() => cursorOf(consumer))
  }

  moveCursor(consumer: string, from: number, to: number): Promise<boolean> {
    return this.write(() => moveCursor(consumer, from, to))
  }

  unknowns(filter: UnknownFilter = {}, page: PageRequest = {}): Promise<Page<Unknown>> {
    return this.ask(() => unknownsPage(filter, page))
  }

  unknown(fingerprint: string): Promise<readonly Unknown[]> {
    return this.ask(() => unknownsOf(fingerprint))
  }

  labels(filter: LabelFilter = {}): Promise<readonly Label[]> {
    return this.ask(() => labels(filter))
  }

  nextSnoozeEnd(): Promise<number | undefined> {
    return this.ask(() => nextSnoozeEnd())
  }

  notices(filter: NoticeFilter = {}, page: PageRequest = {}): Promise<Page<Notice>> {
    return this.ask(() => noticesPage(filter, page, this.time.now()))
  }

  noticesToActOn(without: readonly string[] = []): Promise<NoticeGroups> {
    return this.ask(() => noticesToActOn(without, this.time.now()))
  }

  deliveries(filter: DeliveryFilter = {}, page: PageRequest = {}): Promise<Page<Delivery>> {
    return this.ask(() => deliveriesPage(filter, page))
  }

  workflowRun(id: string): Promise<WorkflowRun | undefined> {
    return this.ask(() => workflowRun(id))
  }

  workflowRuns(filter: WorkflowRunFilter = {}, page: PageRequest = {}): Promise<Page<WorkflowRun>> {
    return this.ask(() => workflowRunsPage(filter, page))
  }

  workflowPlan(id: string): Promise<unknown> {
    return this.ask(() => workflowPlan(id))
  }

  stepResult(run: string, step: number): Promise<StepResult | undefined> {
    return this.ask(() => stepResult(run, step))
  }

  workflowActions(run: string): Promise<readonly WorkflowAction[]> {
    return this.ask(() => workflowActions(run))
  }

  stepsOfOperations(operations: readonly string[]): Promise<readonly StepOfOperation[]> {
    return this.ask(() => stepsOfOperations(operations))
  }

  stepDeadlines(most: number): Promise<readonly StepDeadline[]> {
    return this.ask(() => stepDeadlines(most))
  }

  rememberedSteps(operation: string): Promise<readonly RememberedStep[]> {
    return this.ask(() => rememberedSteps(operation))
  }

  advertise(runner: Omit<RunnerRecord, 'startedAt' | 'seenAt'>): Promise<void> {
    return this.write(() => runnerSeen(runner, this.time.now()))
  }

  withdraw(runner: string): Promise<void> {
    return this.write(() => runnerLeft(runner, this.time.now()))
  }

  runners(): Promise<readonly RunnerRecord[]> {
    return this.ask(() => runnersAlive(this.time.now()))
  }

  addToBill(lines: readonly BillLine[]): Promise<void> {
    return this.write(() => addToBill(lines))
  }

  bill(query: BillQuery = {}): Promise<readonly BillRow[]> {
    return this.ask(() => billOf(query))
  }

  setting(name: string): Promise<unknown> {
    return this.ask(() => settingOf(name))
  }

  setSetting(name: string, value: unknown): Promise<void> {
    return this.write(() => setSetting(name, value))
  }
}
