import { dataFolder } from '../config/data-folder.ts'
import type { TrustedConfig } from '../config/loaded.ts'
import type { ConfigSource } from '../config/source.ts'
import { UntrustedConfig } from '../config/untrusted.ts'
import type { Engine } from '../engine/engine.ts'
import type { HttpGateway } from '../gateway/http/http-gateway.ts'
import type { OpenProxy } from '../gateway/proxy/from-config.ts'
import { resolveConfigTrouble, tellConfigTrouble } from '../notice/config-trouble.ts'
import { placeInWords, type StoredLedger } from '../queue/stored-ledger.ts'
import type { Time } from '../time/time.ts'
import { UnknownCollector } from '../unknown/collector.ts'
import { EventLog } from './event-log.ts'
import { beginGeneration, type Generation } from './generation.ts'
import type { LoggingHost } from './host.ts'
import { announceHttp, openHttp } from './http-door.ts'
import type { Logger } from './log.ts'
import { openProxyDoor } from './proxy-door.ts'
import { logReady } from './ready.ts'
import { inNumbers } from './words/in-numbers.ts'

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
  terminal: LoggingHost
  log: Logger
  /** Default the ledger's clock. */
  time?: Time
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
  #proxy: OpenProxy | undefined
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
    this.#generation = await this.#begin(this.#options.source.current, { reload: false })
    if (this.#isStopping) return
    await this.#listenForModels(this.#generation)
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
      else if (trouble.state === 'held_up')
        this.#log.warn(
          { ledger: place, pid: trouble.pid },
          `events wait for a transaction that ${trouble.by} keeps open on ${place} for over a minute: commit it, or SELECT pg_terminate_backend(${trouble.pid})`,
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

  async #listenForModels(begun: Generation): Promise<void> {
    const { folder, terminal, ledger, log } = this.#options
    const inForce = () => this.#generation ?? begun
    this.#proxy = await openProxyDoor({ folder, env: terminal.env, inForce, time: this.#time, ledger, log })
  }

  async #stop(graceMs: number): Promise<Stopped> {
    this.#stopping.abort(new Error('the daemon is stopping'))
    await this.#reloading
    // New requests are refused; requests under way get a second to finish.
    const closed = Promise.all([this.#http?.stop(), this.#proxy?.stop()])
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

  async #begin(loaded: TrustedConfig, { reload }: { reload: boolean }): Promise<Generation> {
    const { folder, ledger, engine, terminal, log } = this.#options
    const deps = { folder, ledger, engine, terminal, log, time: this.#time, signal: this.#stopping.signal }
    const generation = await beginGeneration(loaded, deps, { reload })
    await resolveConfigTrouble({ ledger })
    return generation
  }

  #logReady(generation: Generation): Promise<void> {
    const { ledger, folder } = this.#options
    return logReady(generation, { ledger, folder, time: this.#time, log: this.#log })
  }

  async #reload(): Promise<void> {
    const before = this.#generation
    if (!before || this.#isStopping) return
    const reloaded = this.#options.source.reload()
    if (!reloaded.ok) {
      const { problems, message } = reloaded.error
      const how = reloaded.error instanceof UntrustedConfig ? 'not trusted' : 'broken'
      await this.#keepConfig(message, { problems }, `the new config is ${how}`)
      return
    }
    const { current } = this.#options.source
    try {
      this.#generation = await this.#begin(current, { reload: true })
    } catch (error) {
      if (this.#isStopping) return
      await this.#keepConfig((error as Error).message, { err: error }, 'the new config cannot be used')
      return
    }
    // Running work continues under the config it started with.
    this.#leave(before, Infinity)
    if (this.#isStopping) return
    const { changes } = reloaded
    this.#log.info({ changes }, `config reloaded, ${inNumbers(changes.length, 'value')} changed`)
    for (const door of ['http', 'proxy'] as const)
      if (JSON.stringify(current.config[door]) !== JSON.stringify(before.loaded.config[door]))
        this.#log.warn(`changing [${door}] needs a restart`)
    if (dataFolder(current, this.#options.terminal) !== this.#options.folder)
      this.#log.warn('changing the data folder needs a restart')
    await this.#logReady(this.#generation)
  }

  /** Says that the config in force is not the one in the file, in the log and to people. */
  async #keepConfig(problem: string, more: Record<string, unknown>, what: string): Promise<void> {
    try {
      await tellConfigTrouble({ ledger: this.#options.ledger, time: this.#time }, problem)
    } finally {
      this.#log.error(more, `${what}, keeping the old one: ${problem}`)
    }
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
}
