import { present } from '../failure/present.ts'
import type { DeliveryEnd } from '../ledger/delivery.ts'
import { isDelivery } from '../ledger/delivery-name.ts'
import type { EventType, LedgerEvent } from '../ledger/event.ts'
import { EventReader, type Projection } from '../ledger/event-reader.ts'
import type { Ledger, LedgerTransaction } from '../ledger/ledger.ts'
import type { Operation } from '../ledger/operation.ts'
import { pagesOf } from '../ledger/pages.ts'
import type { Writing } from '../ledger/writing.ts'
import { isSurface } from '../provider/provider-name.ts'
import { realTime, type Time } from '../time/time.ts'
import { noticesAboutOperation } from './about-operation.ts'
import { backNotice, troubleNotice, troubleOf } from './about-provider.ts'
import { noticesAboutWorkflow, WORKFLOW_EVENTS, workflowRunOf } from './about-workflow.ts'
import { type Consequence, carryOut, type MadeNotice } from './consequence.ts'
import { consequenceOfLabel, consequenceOfSighting, consequenceOfWithdrawal } from './escalation.ts'
import { OLDEST_NEWS_MS } from './lifetime.ts'
import { ProviderTidings } from './provider-tidings.ts'
import {
  RESOLVING_EVENTS,
  resolvedByReset,
  resolvedByServing,
  resolvedOfOperation,
  resolvedOfWorkflow,
} from './resolution.ts'
import { ScheduleTidings } from './schedule-tidings.ts'

/** The ledger cursor that all processes share. */
export const NOTICE_CONSUMER = 'notice'
/** Events that may make or resolve a notice. */
const NOTICE_EVENT_TYPES: readonly EventType[] = [
  'parked',
  'succeeded',
  'provider_blocked',
  'provider_served',
  'unknown_seen',
  'labelled',
  'label_withdrawn',
  ...RESOLVING_EVENTS,
  ...WORKFLOW_EVENTS,
]

/** Collaborators of a {@link NoticeMaker}. */
export interface NoticeMakerDeps {
  /** Gives the events and keeps the notices. */
  ledger: Ledger
  /** Decides which events are too old. Default the system clock. */
  time?: Time
  /** Called with each new notice after its transaction commits. Default none. */
  onMade?: (notice: MadeNotice) => void
}

/** What is known while a batch of events is handled. */
interface Batch {
  providers: ProviderTidings
  schedules: ScheduleTidings
}

/**
 * Makes notices from events, and resolves them. The first process to reach an event handles it: the cursor moves in the
 * transaction that writes the notice, so a crash neither loses nor doubles one.
 */
export class NoticeMaker {
  readonly #deps: NoticeMakerDeps
  readonly #time: Time
  readonly #reader: EventReader
  /** Notices of the open transaction, passed to `onMade` once it commits. */
  #made: MadeNotice[] = []
  #error: { error: unknown } | undefined

  constructor(deps: NoticeMakerDeps) {
    const { ledger, time = realTime } = deps
    this.#deps = deps
    this.#time = time
    this.#reader = new EventReader({
      ledger,
      time,
      consumer: NOTICE_CONSUMER,
      types: NOTICE_EVENT_TYPES,
      from: 'beginning',
      onError: error => {
        this.#error = { error }
      },
      project: events => this.#project(events),
    })
  }

  /** Handles every event up to now. Rejects if the ledger cannot be used; the next call tries again. */
  async catchUp(): Promise<void> {
    this.#error = undefined
    await this.#reader.look()
    this.#reportMade()
    if (this.#error) throw (this.#error as { error: unknown }).error
  }

  /** Stops. Settles once pending writes are done. May be called twice. */
  async stop(): Promise<void> {
    await this.#reader.stop()
    this.#reportMade()
  }

  async #project(events: readonly LedgerEvent[]): Promise<Projection> {
    this.#reportMade()
    const { ledger } = this.#deps
    const batch: Batch = {
      providers: new ProviderTidings(ledger),
      schedules: new ScheduleTidings(ledger),
    }
    const consequences: Consequence[] = []
    for (const event of events) consequences.push(await this.#consequenceOf(event, batch))
    return writes => this.#write(writes, consequences)
  }

  *#write(writes: LedgerTransaction, consequences: readonly Consequence[]): Writing<void> {
    this.#made = []
    for (const consequence of consequences) yield* carryOut(writes, consequence, this.#made)
  }

  #reportMade(): void {
    const made = this.#made
    this.#made = []
    for (const notice of made) this.#deps.onMade?.(notice)
  }

  async #consequenceOf(event: LedgerEvent, batch: Batch): Promise<Consequence> {
    const { ledger } = this.#deps
    const { type, data } = event
    const isNews = this.#time.now() - event.at <= OLDEST_NEWS_MS
    // Most retries are not worth a look at their operation.
    if ((type === 'retrying' || type === 'snoozed') && data?.by === undefined) return {}
    if (type === 'unknown_seen') return isNews ? consequenceOfSighting(event, ledger) : {}
    if (type === 'labelled') return consequenceOfLabel(event, ledger)
    if (type === 'label_withdrawn') return isNews ? consequenceOfWithdrawal(event, ledger) : {}
    if (type === 'provider_served') return this.#served(event, data?.provider, batch.providers)
    if (type === 'provider_blocked') return isNews ? this.#trouble(event, undefined, batch.providers) : {}
    const workflowRun = workflowRunOf(event)
    if (workflowRun !== undefined) {
      const run = isNews ? await ledger.workflowRun(workflowRun) : undefined
      return { resolved: resolvedOfWorkflow(event), notices: run ? noticesAboutWorkflow(event, run) : [] }
    }
    const resolved = resolvedOfOperation(event)
    const operation = event.operation === undefined ? undefined : await ledger.get(event.operation)
    if (!operation) return { resolved }
    if (isDelivery(operation)) return this.#settle(event, operation)
    return joined(
      { resolved, notices: isNews ? noticesAboutOperation(event, operation) : [] },
      isNews ? await this.#trouble(event, operation, batch.providers) : {},
      await this.#servedBy(event, operation, batch.providers),
      await batch.schedules.consequenceOf(event, operation, isNews),
    )
  }

  /** The end of its operation ends a delivery, also when a verification found the message there. */
  async #settle(event: LedgerEvent, operation: Operation): Promise<Consequence> {
    const end = endOf(event, operation)
    if (end === undefined) return {}
    const { ledger } = this.#deps
    const filter = { operation: operation.id, state: 'pending' } as const
    const settled: { id: string; end: DeliveryEnd }[] = []
    // An outage may have added thousands of notices to a message that could not be sent.
    for await (const page of pagesOf(request => ledger.deliveries(filter, request), 1_000))
      for (const { id } of page) settled.push({ id, end })
    return { settled }
  }

  async #trouble(
    event: LedgerEvent,
    operation: Operation | undefined,
    tidings: ProviderTidings,
  ): Promise<Consequence> {
    const found = troubleOf(event, operation)
    if (!found) return {}
    const { provider, trouble } = found
    // What people were told before counts for what they are told at its end.
    await tidings.of(provider)
    tidings.troubled(provider, trouble, event.at)
    const { ledger } = this.#deps
    const waiting = trouble === 'limit' ? (await ledger.counts({ heldBy: provider })).held : 0
    const notice = troubleNotice(event, found, waiting, operation)
    return { standing: { notice, whileOpen: trouble === 'limit' ? 'update' : 'keep' } }
  }

  async #servedBy(event: LedgerEvent, operation: Operation, tidings: ProviderTidings): Promise<Consequence> {
    // What a person marked as done shows nothing of its provider.
    const isServed = event.type === 'succeeded' && event.data?.marked_by === undefined
    const provider = isServed ? await tidings.servedBy(operation) : undefined
    return provider === undefined ? {} : this.#served(event, provider, tidings)
  }

  /** Only a success shows that a provider works; that a person says so resolves what the person was asked for. */
  async #served(event: LedgerEvent, provider: unknown, tidings: ProviderTidings): Promise<Consequence> {
    if (typeof provider !== 'string' || isSurface(provider)) return {}
    const { by = 'success' } = event.data ?? {}
    if (by === 'reset' || by === 'credential') return { resolved: [resolvedByReset(provider, by)] }
    const { troubledSince, tellsBack } = await tidings.of(provider)
    tidings.well(provider)
    if (troubledSince === undefined) return {}
    return {
      resolved: [resolvedByServing(provider)],
      notices: tellsBack ? [backNotice(event, provider)] : [],
    }
  }
}

/** All consequences of one event, as one. */
function joined(...all: readonly Consequence[]): Consequence {
  const standing = all.find(each => each.standing)?.standing
  return {
    resolved: all.flatMap(({ resolved = [] }) => resolved),
    notices: all.flatMap(({ notices = [] }) => notices),
    ...present({ standing }),
  }
}

function endOf({ type }: LedgerEvent, operation: Operation): DeliveryEnd | undefined {
  // The failure says more than the verdict.
  if (type === 'dead')
    return { delivered: false, reason: operation.failure?.message ?? operation.reason ?? 'given up' }
  if (type !== 'succeeded' || operation.state !== 'succeeded') return undefined
  const { result } = operation
  const reference =
    typeof result === 'string' ? result : (result as { reference?: unknown } | undefined)?.reference
  return { delivered: true, ...(typeof reference === 'string' ? { reference } : {}) }
}
