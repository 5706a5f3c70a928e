import { hostname } from 'node:os'
import { z } from 'zod'
import { branded, type Capability } from '../../capability/capability.ts'
import { CapabilityRegistry } from '../../capability/registry.ts'
import { Secrets } from '../../capability/secret/secrets.ts'
import type { Engine } from '../../engine/engine.ts'
import { classify } from '../../failure/classify.ts'
import { citizenCapability } from '../../ledger/citizen.ts'
import { engineInWords } from '../../ledger/engine-words.ts'
import { checkNames, namesOf } from '../../option/check-names.ts'
import { NodeHealth } from '../../process/node-health.ts'
import { checkSettings } from '../../provider/check-settings.ts'
import { changesAdmission } from '../../provider/event.ts'
import type { HealthOptions } from '../../provider/health-options.ts'
import { ProviderHolds } from '../../queue/provider-holds.ts'
import { problemInWords, type QueueDeps, queueDepsOf } from '../../queue/queue-deps.ts'
import { Runner } from '../../queue/runner.ts'
import { ServedProviders } from '../../queue/served-providers.ts'
import { engineOn } from '../../queue/stored-ledger.ts'
import { cleaningUp, quietly } from '../../time/clean-up.ts'
import { sleep } from '../../time/time.ts'
import { UnknownCollector } from '../../unknown/collector.ts'
import type { JobWork } from '../job/job-work.ts'
import type { Link } from '../job/link.ts'
import { Citizens } from './citizens.ts'
import type { EngineDesk } from './desk.ts'
import { HandBack } from './hand-back.ts'
import { checkPlace, type LedgerPlace, type OpenedLedger, openPlace } from './open-ledger.ts'
import { Reconciler } from './reconciler.ts'

/** How to connect a worker to a ledger. */
export interface ConnectOptions {
  /** The ledger: its SQLite file, a `postgres://` address, the URL of a daemon, or an open one, which stays open. */
  ledger: LedgerPlace
  /** What is known about providers: quota, caps, signatures. Default: nothing. */
  providers?: HealthOptions['providers']
}

const ANY_DATA = z.looseObject({})
const NAMES = namesOf<ConnectOptions>({ ledger: true, providers: true })
/** How long to wait before the ledger is tried again, in milliseconds. */
const AGAIN_AFTER_MS = 2_000
/** How long closing waits for a ledger that does not answer, in milliseconds: the worker must be able to stop. */
const LONGEST_CLOSE_MS = 10_000

/** What a connection needs of its worker. */
export interface ConnectedWorker {
  /** How its jobs are given back to their engines, as far as known. */
  desks(): readonly EngineDesk[]
  /** Called once the ledger is open, and with undefined when the connection is closed. */
  linked(link: Link | undefined): void
}

/** Connects a worker. Resolves when the ledger is open, or when the first try to open it has failed. */
export async function connectWorker(
  worker: JobWork,
  options: ConnectOptions,
  part: ConnectedWorker,
): Promise<Connection> {
  checkNames('connect', options, NAMES)
  checkPlace(options.ledger)
  checkSettings({ providers: options.providers })
  const connection = new Connection(worker, options, part)
  await connection.open()
  return connection
}

/** A worker's connection to a ledger. */
export class Connection {
  readonly #worker: JobWork
  readonly #options: ConnectOptions
  readonly #part: ConnectedWorker
  readonly #attended = new Set<string>()
  readonly #runners = new Set<Runner>()
  /** How many runners it has made. Those that could not begin count, because each needs a name of its own. */
  #made = 0
  readonly #reconcilers: Reconciler[] = []
  readonly #closing = new AbortController()
  #open: Opened | undefined
  #opening: Promise<void> | undefined
  #cancelTimer: (() => void) | undefined
  #isTold = false

  constructor(worker: JobWork, options: ConnectOptions, part: ConnectedWorker) {
    this.#worker = worker
    this.#options = options
    this.#part = part
  }

  /** Whether the ledger is open. */
  get isOpen(): boolean {
    return this.#open !== undefined
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted
  }

  /** Opens the ledger, or tries again later. Never rejects. */
  open(): Promise<void> {
    this.#opening = this.#openOnce().catch(error => {
      if (!this.#isTold)
        this.#worker.report(
          'ledger',
          `${(error as Error).message}; the worker decides alone until it is there`,
        )
      this.#isTold = true
      if (this.#isClosed) return
      this.#cancelTimer = this.#worker.time.after(AGAIN_AFTER_MS, () => void this.open())
    })
    return this.#opening
  }

  /** Hands jobs of a queue back to their engine from now on. */
  attend(desk: EngineDesk): void {
    const capability = citizenCapability(desk.engine, desk.queue)
    if (!this.#open || this.#isClosed || this.#attended.has(capability)) return
    this.#attended.add(capability)
    this.#open.citizens.attended(desk, this.#begin(desk, capability, this.#open))
  }

  /** Resolves with false if it is closed before jobs can be handed back. Never rejects. */
  async #begin(desk: EngineDesk, capability: string, open: Opened): Promise<boolean> {
    for (let isTold = false; !this.#isClosed; isTold = true) {
      try {
        await this.#run(desk, capability, open)
        return true
      } catch (error) {
        if (!isTold)
          this.#worker.report(
            'ledger',
            `jobs cannot be handed back: ${(error as Error).message}; trying again, and until then none are parked`,
          )
        await quietly(() => sleep(this.#worker.time, AGAIN_AFTER_MS, this.#closing.signal))
      }
    }
    return false
  }

  async #run(desk: EngineDesk, capability: string, { deps, holds }: Opened): Promise<void> {
    // The worker checks the data of a job itself, with its defaults.
    const own: Capability = branded({ ...this.#worker.capability, name: capability, params: ANY_DATA })
    const runner = new Runner(
      {
        ...deps,
        registry: new CapabilityRegistry([own]),
        runnerId: `${deps.runnerId}-${this.#made++}`,
      },
      holds,
      { label: `${engineInWords(desk.engine)} ${desk.queue} on ${hostname()} ${process.pid}` },
      async () => {},
      new HandBack(deps, desk).work,
    )
    this.#runners.add(runner)
    try {
      await runner.start()
    } catch (error) {
      this.#runners.delete(runner)
      await quietly(() => runner.stop())
      throw error
    }
    // Closing has stopped the runner, and would not see what begins now.
    if (this.#isClosed) return
    const reconciler = new Reconciler(deps, desk, error =>
      this.#worker.report(
        'ledger',
        `${desk.engine} could not be compared: ${(error as Error)?.message ?? error}`,
      ),
    )
    this.#reconcilers.push(reconciler)
    reconciler.start()
  }

  /**
   * Writes what is not written yet, and closes the ledger if this opened it. The worker then decides alone. If the ledger does
   * not answer within ten seconds, what was not written is lost.
   */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#cancelTimer?.()
    await this.#opening
    const open = this.#open
    this.#part.linked(undefined)
    if (!open) return
    this.#open = undefined
    let cancel = () => {}
    const late = new Promise<void>(resolve => {
      cancel = this.#worker.time.after(LONGEST_CLOSE_MS, resolve)
    })
    const inTime = (step: () => unknown) => () => Promise.race([step(), late])
    await cleaningUp(
      inTime(() => open.citizens.close()),
      ...this.#reconcilers.map(reconciler => inTime(() => reconciler.stop())),
      ...[...this.#runners].map(runner => inTime(() => runner.stop())),
      inTime(() => open.unknowns.close()),
      inTime(() => open.holds.close()),
      inTime(() => open.health.dispose()),
      inTime(() => open.served.close()),
      inTime(() => open.engine.close()),
      inTime(() => open.opened.close()),
      cancel,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #openOnce(): Promise<void> {
    const opened = await openPlace(this.#options.ledger)
    if (this.#isClosed) return opened.close()
    try {
      this.#open = await openOn(this.#worker, this.#options, opened)
    } catch (error) {
      // It is opened again with the next try.
      await quietly(() => opened.close())
      throw error
    }
    this.#part.linked(this.#open.citizens)
    for (const desk of this.#part.desks()) this.attend(desk)
  }
}

/** Everything that an open connection has. */
interface Opened {
  opened: OpenedLedger
  engine: Engine
  deps: QueueDeps
  health: NodeHealth
  holds: ProviderHolds
  served: ServedProviders
  unknowns: UnknownCollector
  citizens: Citizens
}

async function openOn(worker: JobWork, options: ConnectOptions, opened: OpenedLedger): Promise<Opened> {
  const { ledger, folder } = opened
  // Hosts that share a ledger use its clock.
  const { time } = ledger
  const { random } = worker
  const engine = await engineOn(ledger)
  const report = (problem: string) => worker.report('ledger', problem)
  const onError = (error: unknown) => report((error as Error)?.message ?? String(error))
  let holds: ProviderHolds | undefined
  let served: ServedProviders | undefined
  const health = new NodeHealth({
    store: ledger.providers,
    time,
    random,
    providers: options.providers,
    onStoreProblem: onError,
    onEvent: event => {
      if (changesAdmission(event)) void holds?.sync()
      served?.onEvent(event)
    },
  })
  const deps = queueDepsOf(
    {
      ...{ ledger, engine, health, time, random },
      registry: new CapabilityRegistry(),
      secrets: new Secrets({ folder, env: process.env }),
      onProblem: problem => report(problemInWords(problem)),
    },
    () => crypto.randomUUID().slice(0, 8),
  )
  holds = new ProviderHolds(deps)
  served = new ServedProviders({ ledger, health: () => health, onError })
  const unknowns = new UnknownCollector({ ledger, time, onError })
  await unknowns.start()
  const citizens = new Citizens({ worker, deps })
  // The first failure that a process classifies takes a tenth of a second longer: too long for others that a limit concerns.
  classify(new Error('a failure'))
  return { opened, engine, deps, health, holds, served, unknowns, citizens }
}
