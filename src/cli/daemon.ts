import { Secrets } from '../capability/secret/secrets.ts'
import { dataFolder } from '../config/data-folder.ts'
import type { TrustedConfig } from '../config/loaded.ts'
import type { ConfigSource } from '../config/source.ts'
import { UntrustedConfig } from '../config/untrusted.ts'
import type { Engine } from '../engine/engine.ts'
import type { HttpGateway } from '../gateway/http/http-gateway.ts'
import { isLedgerError } from '../ledger/error.ts'
import { LedgerTroubleSender } from '../notice/ledger-trouble-sender.ts'
import { isDelivery } from '../notice/names.ts'
import { deliveryCapabilities, NoticeService } from '../notice/notice-service.ts'
import { surfaceHostOf } from '../notice/surface-host.ts'
import type { HealthEvent } from '../provider/event.ts'
import { providerToJson } from '../provider/json.ts'
import type { NodeHealth as Health } from '../provider/node-health.ts'
import { checkConfig } from '../queue/config-problems.ts'
import { schedulesOf } from '../queue/cron-from-config.ts'
import { scheduleStatuses } from '../queue/cron-status.ts'
import { endPauses } from '../queue/pause-end.ts'
import type { Queue } from '../queue/queue.ts'
import { problemInWords } from '../queue/queue-deps.ts'
import type { Runner } from '../queue/runner.ts'
import { placeInWords, type StoredLedger } from '../queue/stored-ledger.ts'
import { orAborted } from '../time/or-aborted.ts'
import { sleep, type Time } from '../time/time.ts'
import { timeToJson } from '../time/time-json.ts'
import { UnknownCollector } from '../unknown/collector.ts'
import { workflowsOf } from '../workflow/from-config.ts'
import type { WorkflowRegistry } from '../workflow/registry.ts'
import { EventLog } from './event-log.ts'
import { healthEventInWords } from './health-words.ts'
import { announceHttp, openHttp } from './http-door.ts'
import type { Logger } from './log.ts'
import type { Terminal } from './main.ts'
import { prunePolicy } from './prune-policy.ts'
import { OWN_CAPABILITIES, queueOf, registryOf } from './queue-runtime.ts'
import { actingPartsOf, healthOf } from './runtime.ts'
import { schedulesInShort } from './schedule-words.ts'

/** How often old operations are pruned, in milliseconds. */
const PRUNE_EVERY_MS = 3_600_000
/** How often expired pauses are looked for, in milliseconds. */
const PAUSES_EVERY_MS = 5_000

/** Settings and collaborators of a {@link Daemon}. */
export interface DaemonOptions {
  /** The config, which can be reloaded. */
  source: ConfigSource
  /** The data folder. */
  folder: string
  /** In the data folder or on a server. Stays open after the daemon has stopped. */
  ledger: StoredLedger
  /** The engine on that ledger. The daemon closes it. */
  engine: Engine
  /** Environment and working directory of the process. */
  terminal: Pick<Terminal, 'env' | 'cwd' | 'stderrIsTerminal'>
  log: Logger
  /** Default the ledger's clock. */
  time?: Time
}

/** Everything made from one load of the config. A reload makes another one beside it. */
interface Generation {
  loaded: TrustedConfig
  health: Health
  queue: Queue
  runner: Runner
  /** Makes notices from events, and submits messages for surfaces. */
  notices: NoticeService
  /** The workflows that can be started. */
  workflows: WorkflowRegistry
  capabilities: readonly string[]
  stop: AbortController
  /** Upkeep next to operations; ends with `stop`. */
  upkeep: Promise<unknown>
}

/** How a daemon stopped: `in_order`: all runs ended or were returned to the queue; `not_begun`: it never ran anything. */
export type Stopped = 'in_order' | 'not_in_order' | 'not_begun'

/** Runs operations when they are due, under the config in force, until stopped. */
export class Daemon {
  readonly #options: DaemonOptions
  readonly #log: Logger
  readonly #time: Time
  readonly #engine: Engine
  readonly #events: EventLog
  readonly #unknowns: UnknownCollector
  readonly #leaving = new Set<Promise<void>>()
  readonly #replaced = new Set<Generation>()
  #generation: Generation | undefined
  #http: HttpGateway | undefined
  /** Whether every runner has returned its runs to the queue. */
  #inOrder = true
  /** The start and reloads, in sequence. Never rejects. */
  #reloading: Promise<void> = Promise.resolve()
  #stopWatchingDatabase: () => void = () => {}
  readonly #stopping = new AbortController()
  #stopped: Promise<Stopped> | undefined

  constructor(options: DaemonOptions) {
    this.#options = options
    this.#log = options.log.child({ component: 'serve' })
    // Hosts that share a ledger use its clock.
    this.#time = options.time ?? options.ledger.time
    this.#engine = options.engine
    this.#events = new EventLog(options.ledger, options.log, options.ledger.time)
    this.#unknowns = new UnknownCollector({
      ledger: options.ledger,
      time: this.#time,
      onError: error => this.#cannotCollect(error),
    })
  }

  /** Starts running due operations, and logs what it found. */
  start(): Promise<void> {
    const started = this.#start()
    // A reload requested meanwhile runs after the start.
    this.#reloading = started.catch(() => {})
    return started
  }

  /** Reloads the config. A broken one changes nothing and is logged. One reload at a time. */
  reload(): Promise<void> {
    this.#reloading = this.#reloading
      .then(() => this.#reload())
      .catch((error: unknown) => {
        if (!this.#isStopping) this.#log.error({ err: error }, 'cannot reload the config')
      })
    return this.#reloading
  }

  /**
   * Starts nothing new and waits for running work. After `graceMs`, kills the rest and returns it to the queue without
   * using a retry. May be called at any time: it aborts a start or reload in progress.
   */
  stop({ graceMs }: { graceMs: number }): Promise<Stopped> {
    this.#stopped ??= this.#stop(graceMs)
    return this.#stopped
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  async #start(): Promise<void> {
    this.#watchDatabase()
    await this.#events.start()
    // Before any work starts, because a taken port ends the daemon and would end its runs.
    await this.#listen()
    if (this.#isStopping) return
    this.#generation = await this.#begin(this.#options.source.current, false)
    if (this.#isStopping) return
    if (this.#http) announceHttp(this.#http, this.#options)
    if (!this.#isStopping) await this.#logReady(this.#generation)
    // Not awaited: there may be much to collect, and no run needs it.
    void this.#unknowns.start().catch(error => this.#cannotCollect(error))
  }

  /** Logs when the ledger's database cannot be reached, and when it answers again. */
  #watchDatabase(): void {
    const { ledger } = this.#options
    if (!('onTrouble' in ledger)) return
    const place = placeInWords(ledger)
    this.#stopWatchingDatabase = ledger.onTrouble(trouble => {
      if (trouble.state === 'away')
        this.#log.warn(
          { ledger: place },
          `waiting for the database (${place}): ${trouble.reason}; nothing is lost, and running work continues`,
        )
      else this.#log.info({ ledger: place }, `the database answers again (${place})`)
    })
  }

  #cannotCollect(error: unknown): void {
    this.#log.error({ err: error }, 'cannot collect unknown failures')
  }

  async #listen(): Promise<void> {
    const { source, ledger, folder, terminal, log } = this.#options
    const current = () => (this.#isStopping ? undefined : this.#generation)
    const facilities = { current, ledger, folder, env: terminal.env, time: this.#time }
    this.#http = await openHttp(source.current, facilities, terminal, log)
  }

  async #stop(graceMs: number): Promise<Stopped> {
    this.#stopping.abort(new Error('the daemon is stopping'))
    await this.#reloading
    // New requests are refused; requests under way get a second to finish.
    const closed = this.#http?.stop()
    const generation = this.#generation
    if (generation) {
      const { active } = generation.runner
      this.#log.info({ active, grace_ms: graceMs }, `stopping, ${inNumbers(active, 'run')} to finish`)
      this.#leave(generation, graceMs)
    }
    // A generation replaced by a reload may still have runs; it gets the same grace.
    for (const { queue } of this.#replaced) void queue.close({ graceMs })
    await Promise.all([...this.#leaving, closed])
    await this.#unknowns.close()
    await this.#events.stop()
    await this.#engine.close()
    this.#stopWatchingDatabase()
    // A daemon that never started did not stop cleanly: the error that prevented it follows.
    if (!generation) return 'not_begun'
    return this.#inOrder ? 'in_order' : 'not_in_order'
  }

  async #begin(loaded: TrustedConfig, reload: boolean): Promise<Generation> {
    const { folder, ledger, terminal, log } = this.#options
    await checkConfig(loaded, { ...terminal, folder })
    const parts = actingPartsOf(loaded, terminal)
    // Modules are user code and may take forever to load.
    const { signal } = this.#stopping
    const registry = await orAborted(registryOf(parts, terminal, { reload }), signal)
    const { surfaces } = loaded.config
    const host = surfaceHostOf(loaded, terminal, this.#time)
    const stop = new AbortController()
    const ledgerTrouble = new LedgerTroubleSender({
      surfaces,
      host,
      signal: stop.signal,
      onError: (error, surface) =>
        log.error(
          { component: 'notice', err: error },
          `cannot tell surface ${surface} that the ledger is in trouble`,
        ),
    })
    const workflows = await orAborted(workflowsOf(loaded, registry, { cwd: terminal.cwd, reload }), signal)
    for (const capability of deliveryCapabilities(surfaces, { ledger, host }))
      registry.add(capability, '[[surface]]')
    const cron = await schedulesOf(loaded, registry, new Secrets({ folder, env: terminal.env }))
    const health = healthOf(parts, ledger, terminal, {
      time: this.#time,
      onHealth: event => this.#onHealth(event),
    })
    const queue = queueOf(
      parts,
      {
        folder,
        ledger,
        engine: this.#engine,
        health,
        registry,
        time: this.#time,
        onProblem: problem => {
          log.error(
            { component: 'queue', ...(problem.about === 'queue' ? { err: problem.error } : {}) },
            problemInWords(problem),
          )
          if (problem.about === 'queue' && isLedgerError(problem.error))
            void ledgerTrouble.send(problem.error)
        },
      },
      terminal,
    )
    try {
      const runner = queue.runner({ concurrency: loaded.config.queue.concurrency, cron })
      await runner.start()
      const capabilities = [...registry]
        .filter(capability => !OWN_CAPABILITIES.includes(capability.name) && !isDelivery(capability))
        .map(({ name }) => name)
        .sort()
      const notices = new NoticeService({
        ledger,
        engine: this.#engine,
        surfaces,
        time: this.#time,
        onError: error => log.error({ component: 'notice', err: error }, 'cannot make or send notices'),
        onUntold: ({ id, type, title, fingerprint }) => {
          if (type === 'unknown')
            log.warn(
              { component: 'notice', notice: id, fingerprint },
              `${title}; to label it: mulligan unknowns label ${fingerprint} CLASS`,
            )
        },
      })
      await notices.start()
      const generation = { loaded, health, queue, runner, notices, workflows, capabilities, stop }
      return { ...generation, upkeep: this.#upkeep(generation) }
    } catch (error) {
      // Parts that already started must not keep running after the error.
      await queue.close().catch(() => {})
      throw error
    }
  }

  async #reload(): Promise<void> {
    const before = this.#generation
    if (!before || this.#isStopping) return
    const reloaded = this.#options.source.reload()
    if (!reloaded.ok) {
      const { problems } = reloaded.error
      this.#log.error(
        { problems },
        `the new config is ${reloaded.error instanceof UntrustedConfig ? 'not trusted' : 'broken'}, keeping the old one: ${reloaded.error.message}`,
      )
      return
    }
    const { current } = this.#options.source
    try {
      this.#generation = await this.#begin(current, true)
    } catch (error) {
      if (this.#isStopping) return
      this.#log.error(
        { err: error },
        `the new config cannot be used, keeping the old one: ${(error as Error).message}`,
      )
      return
    }
    // Running work continues under the config it started with.
    this.#leave(before, Infinity)
    if (this.#isStopping) return
    const { changes } = reloaded
    this.#log.info({ changes }, `config reloaded, ${inNumbers(changes.length, 'value')} changed`)
    if (JSON.stringify(current.config.http) !== JSON.stringify(before.loaded.config.http))
      this.#log.warn('changing [http] needs a restart')
    if (dataFolder(current, this.#options.terminal) !== this.#options.folder)
      this.#log.warn('changing the data folder needs a restart')
    await this.#logReady(this.#generation)
  }

  #leave(generation: Generation, graceMs: number): void {
    const { queue, notices, stop, upkeep } = generation
    stop.abort(new Error('the config was reloaded, or the daemon is stopping'))
    this.#replaced.add(generation)
    const left = Promise.all([queue.close({ graceMs }), notices.stop(), upkeep])
      .catch((error: unknown) => {
        this.#inOrder = false
        this.#log.error({ err: error }, 'a runner did not stop cleanly')
      })
      .then(() => {
        this.#leaving.delete(left)
        this.#replaced.delete(generation)
      })
    this.#leaving.add(left)
  }

  /** Periodic work: probes, deleting old history, ending pauses. */
  #upkeep({ loaded, health, queue, stop }: Omit<Generation, 'upkeep'>): Promise<unknown> {
    const probes = loaded.config.providers.flatMap(({ id, probe }) =>
      probe?.everyMs === undefined
        ? []
        : [
            this.#every(probe.everyMs, stop.signal, async signal => {
              const { outcome, reason } = await health.probe(id, signal)
              this.#log.debug({ provider: id, outcome }, `probe of ${id}: ${reason}`)
            }),
          ],
    )
    const pruning = this.#every(PRUNE_EVERY_MS, stop.signal, async signal => {
      const deleted = await queue.prune(prunePolicy(loaded.config), signal)
      this.#log.debug(deleted, 'deleted old history')
    })
    const ids = loaded.config.providers.map(({ id }) => id)
    const pauses = this.#every(PAUSES_EVERY_MS, stop.signal, async () => {
      for (const id of await endPauses(queue, ids, this.#time.now()))
        this.#log.info({ provider: id }, `resumed ${id}: its pause is over`)
    })
    return Promise.all([...probes, pruning, ...(ids.length > 0 ? [pauses] : [])])
  }

  /** Repeats an action, and logs its errors. Resolves when the signal aborts. */
  async #every(
    ms: number,
    signal: AbortSignal,
    action: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    while (!signal.aborted)
      try {
        await sleep(this.#time, ms, signal)
        await action(signal)
      } catch (error) {
        // Stopping is not an error.
        if (!signal.aborted) this.#log.error({ err: error }, 'periodic work failed')
      }
  }

  #onHealth(event: HealthEvent): void {
    const words = healthEventInWords(event)
    const isWarning =
      event.type === 'blocked' || event.type === 'breaker.opened' || event.type === 'fleet.reached'
    this.#options.log[isWarning ? 'warn' : 'info']({ component: 'health', event: event.type }, words)
  }

  /** Logs one line that the daemon is ready, with what it found. */
  async #logReady({ loaded, queue, capabilities }: Generation): Promise<void> {
    const { retryQueue, due, running, parked, dead, providers, pauses } = await queue.status()
    const { enabled } = loaded.config.queue
    const schedules = await scheduleStatuses(this.#options.ledger, loaded.config.schedules, this.#time.now())
    const { ledger } = this.#options
    const words = [
      // Show at once that the ledger is not a file on this machine.
      ...('place' in ledger ? [placeInWords(ledger)] : []),
      inNumbers(providers.length, 'provider'),
      capabilities.length > 0
        ? inNumbers(capabilities.length, 'capability', 'capabilities')
        : 'no capabilities (add [[capability]] to mulligan.toml, or modules to [queue])',
      ...(schedules.length > 0 ? [schedulesInShort(schedules)] : []),
      `${retryQueue.queued} queued (${due} due), ${running} running, ${parked.total} parked, ${dead} dead`,
      ...(pauses.queue ? ['the queue is paused'] : []),
      ...(enabled ? [] : ['calls are not queued: [queue] enabled = false']),
    ]
    this.#log.info(
      {
        ready: true,
        config: loaded.file ?? null,
        data: this.#options.folder,
        ledger: placeInWords(this.#options.ledger),
        providers: providers.map(provider => {
          const { id, admits, reason } = providerToJson(provider)
          return { id, admits, reason }
        }),
        capabilities,
        schedules: schedules.map(({ name, nextAt }) => ({
          name,
          next_at: nextAt === undefined ? null : timeToJson(nextAt),
        })),
        queue: { queued: retryQueue.queued, due, running, parked: parked.total, dead },
        pid: process.pid,
      },
      `ready: ${words.join('; ')}`,
    )
  }
}

function inNumbers(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
