import type { DeliveryEnd } from '../ledger/delivery.ts'
import type { EventType, LedgerEvent } from '../ledger/event.ts'
import { EventReader, type Projection } from '../ledger/event-reader.ts'
import type { Ledger, LedgerTransaction, MaybePromise } from '../ledger/ledger.ts'
import { inOrder, whenThere } from '../ledger/maybe-promise.ts'
import type { NewNotice } from '../ledger/notice.ts'
import type { Operation } from '../ledger/operation.ts'
import { realTime, type Time } from '../time/time.ts'
import { noticesAboutOperation } from './about-operation.ts'
import { backNotice, PROVIDER_TYPES, troubleNotice, troubleOf } from './about-provider.ts'
import { noticeAboutSchedule, scheduleOf } from './about-schedule.ts'
import { noticesAboutWorkflow, WORKFLOW_EVENTS, workflowRunOf } from './about-workflow.ts'
import { escalationOf } from './escalation.ts'
import { expiresAt, OLDEST_NEWS_MS } from './lifetime.ts'
import { isDelivery, isSurface } from './names.ts'

/** The ledger cursor that all processes share. */
export const NOTICE_CONSUMER = 'notice'
/** Events that may make a notice. */
const NOTICE_EVENT_TYPES: readonly EventType[] = [
  'dead',
  'parked',
  'succeeded',
  'provider_blocked',
  'provider_freed',
  'unknown_seen',
  ...WORKFLOW_EVENTS,
]
/** Operations of a capability that are searched for those of a schedule. */
const SCHEDULE_PAGE = 100

/** Collaborators of a {@link NoticeMaker}. */
export interface NoticeMakerDeps {
  /** Gives the events and keeps the notices. */
  ledger: Ledger
  /** Decides which events are too old. Default the system clock. */
  time?: Time
  /** Called with each new notice after its transaction commits. Default none. */
  onMade?: (notice: NewNotice & { id: string }) => void
}

/** What an event causes to be written, in the transaction that moves the cursor past it. */
interface Consequence {
  notices?: readonly NewNotice[]
  /** Deliveries that ended. */
  settled?: readonly { id: string; end: DeliveryEnd }[]
  /** An unknown failure: its first notice ever, or the later ones. */
  escalation?: { fingerprint: string; first: NewNotice; later: readonly NewNotice[] }
}

/**
 * Makes notices from events. The first process to reach an event handles it: the cursor moves in the transaction that
 * writes the notice, so a crash neither loses nor doubles one.
 */
export class NoticeMaker {
  readonly #deps: NoticeMakerDeps
  readonly #time: Time
  readonly #reader: EventReader
  /** Notices of the open transaction, passed to `onMade` once it commits. */
  #made: (NewNotice & { id: string })[] = []
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
    const consequences: Consequence[] = []
    for (const event of events) consequences.push(await this.#consequenceOf(event, consequences))
    return writes => {
      this.#made = []
      return inOrder(consequences, consequence => carryOut(writes, consequence, this.#made))
    }
  }

  #reportMade(): void {
    const made = this.#made
    this.#made = []
    for (const notice of made) this.#deps.onMade?.(notice)
  }

  /** @param before consequences of earlier events that are not written yet */
  async #consequenceOf(event: LedgerEvent, before: readonly Consequence[]): Promise<Consequence> {
    const { ledger } = this.#deps
    const operation = event.operation === undefined ? undefined : await ledger.get(event.operation)
    if (operation && isDelivery(operation)) return this.#settle(event, operation)
    if (this.#time.now() - event.at > OLDEST_NEWS_MS) return {}
    if (event.type === 'unknown_seen') return this.#escalate(event)
    const workflowRun = workflowRunOf(event)
    if (workflowRun !== undefined) {
      const run = await ledger.workflowRun(workflowRun)
      return run ? { notices: noticesAboutWorkflow(event, run) } : {}
    }
    const notices = [
      ...(operation ? noticesAboutOperation(event, operation) : []),
      ...(await this.#aboutProvider(event, operation, before)),
      ...(operation ? await this.#aboutSchedule(event, operation) : []),
    ]
    return { notices }
  }

  /** The end of its operation ends a delivery, also when a verification found the message there. */
  async #settle(event: LedgerEvent, operation: Operation): Promise<Consequence> {
    const end = endOf(event, operation)
    if (end === undefined) return {}
    const { items } = await this.#deps.ledger.deliveries({ operation: operation.id }, { limit: 1_000 })
    return { settled: items.map(({ id }) => ({ id, end })) }
  }

  async #escalate({ id, at, data }: LedgerEvent): Promise<Consequence> {
    const { ledger } = this.#deps
    const fingerprint = data?.fingerprint
    if (typeof fingerprint !== 'string' || isSurface(data?.provider as string | undefined)) return {}
    const unknowns = await ledger.unknown(fingerprint)
    if (unknowns.length === 0) return {}
    const { parkedFor } = await ledger.counts({ fingerprint, parkedFor: 'label' })
    const notice = escalationOf({ unknowns, waiting: parkedFor.label ?? 0, event: id, at })
    const day = new Date(at).toISOString().slice(0, 10)
    const isNew = unknowns.every(({ escalatedAt }) => escalatedAt === undefined || dayOf(escalatedAt) === day)
    return { escalation: { fingerprint, first: notice, later: isNew ? [] : [repeatOf(notice, day, at)] } }
  }

  async #aboutProvider(
    event: LedgerEvent,
    operation: Operation | undefined,
    before: readonly Consequence[],
  ): Promise<readonly NewNotice[]> {
    if (event.type === 'provider_freed') {
      const provider = event.data?.provider
      const last =
        typeof provider === 'string' ? await this.#last(provider, PROVIDER_TYPES, before) : undefined
      const notice = backNotice(event, last)
      return notice ? [notice] : []
    }
    const trouble = troubleOf(event, operation)
    if (!trouble) return []
    const back = await this.#last(trouble.provider, ['back'], before)
    return [troubleNotice(event, trouble, back, operation)]
  }

  async #last(
    provider: string,
    type: readonly string[],
    before: readonly Consequence[],
  ): Promise<NewNotice | undefined> {
    const unwritten = before.flatMap(({ notices = [] }) => notices)
    const recent = unwritten.findLast(notice => notice.provider === provider && type.includes(notice.type))
    if (recent) return recent
    const { items } = await this.#deps.ledger.notices({ provider, type, expired: true }, { limit: 1 })
    return items[0]
  }

  async #aboutSchedule(event: LedgerEvent, operation: Operation): Promise<readonly NewNotice[]> {
    const name = scheduleOf(operation)
    if (name === undefined || (event.type !== 'dead' && event.type !== 'succeeded')) return []
    const { capability } = operation
    const { items } = await this.#deps.ledger.list({ capability }, { limit: SCHEDULE_PAGE })
    const own = items.filter(each => scheduleOf(each) === name)
    const upTo = own.findIndex(({ id }) => id === operation.id)
    const notice = upTo < 0 ? undefined : noticeAboutSchedule(event, name, own.slice(upTo))
    return notice ? [notice] : []
  }
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/**
 * The notice for an escalated failure that returns on a later day, still without a label. Only issue trackers get it:
 * they comment if their issue was closed.
 */
function repeatOf(notice: NewNotice, day: string, at: number): NewNotice {
  return {
    ...notice,
    key: `${notice.key}:again:${day}`,
    disposition: 'information',
    expiresAt: expiresAt('information', at),
    readAt: at,
  }
}

/** Avoids `await`: a synchronous database must also end its transaction synchronously. */
function carryOut(
  writes: LedgerTransaction,
  { notices = [], settled = [], escalation }: Consequence,
  made: (NewNotice & { id: string })[],
): MaybePromise<unknown> {
  const add = (notice: NewNotice) =>
    whenThere(writes.addNotice(notice), ({ id, created }) => {
      if (created) made.push({ ...notice, id })
    })
  return whenThere(
    inOrder(settled, ({ id, end }) => whenThere(writes.settleDelivery(id, end), () => {})),
    () =>
      whenThere(inOrder(notices, add), () => {
        if (!escalation) return
        const { fingerprint, first, later } = escalation
        return whenThere(writes.markEscalated(fingerprint), isFirst =>
          inOrder(isFirst ? [first] : later, add),
        )
      }),
  )
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
