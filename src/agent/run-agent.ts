import { randomUUID } from 'node:crypto'
import { OVERSPENT } from '../call/try.ts'
import type { ClassifyContext, RailKind } from '../failure/context.ts'
import type { Failure } from '../failure/failure.ts'
import { type ProcessResult, run } from '../process/run.ts'
import { realTime, type Time } from '../time/time.ts'
import type { Environment } from './environment.ts'
import { LogTail } from './log-tail.ts'
import type { AgentOutcome, Spent } from './outcome.ts'
import { OutputReader } from './output-reader.ts'
import { type Prepared, prepare } from './prepare.ts'
import { PrivateFiles } from './private-files.ts'
import { answerOf, type Ending, failureOf, lastWord, sessionOf } from './read-outcome.ts'
import { Reading, type SelfRetry, type Totals } from './reading.ts'
import type { AgentRequest, AgentSession } from './request.ts'
import { type AgentSettings, STALL_DEFAULT_MS } from './settings.ts'
import { signaturesFor } from './signatures-for.ts'
import { askVersion, notStarted, tooOld } from './version.ts'
import { Watch, type WatchSettings } from './watch.ts'
import { makeWorktree, type Worktree } from './worktree.ts'

/** What a run may use of the outside, and who is told of it. */
export interface RunAgentOptions {
  /** Abort ends the whole tree. A reason named `TimeoutError` is a timeout, any other an abort. */
  signal?: AbortSignal
  /** Default the time of this machine. */
  time?: Time
  /** The environment that names of variables refer to. Default that of this process. */
  env?: Environment
  /** Where relative folders begin, and where the agent works unless told otherwise. Default that of this process. */
  cwd?: string
  /** Time between SIGTERM and SIGKILL, in milliseconds. Default 5 s. */
  killGraceMs?: number
  /** File (mode 0600) that gets all output. */
  logFile?: string
  /** When a CLI that repeats requests by itself is ended. */
  watch?: WatchSettings
  /** More for the classifier: signatures, the time zone of clock times. */
  classify?: Pick<ClassifyContext, 'signatures' | 'timeZone'>
  /** Told what the run has spent so far, whenever that changes until it answers. */
  onSpent?: (spent: Spent) => void
  /** Told as soon as the session is known, so that it can be written down before anything happens to us. */
  onSession?: (session: AgentSession) => void
  /** Names for worktrees. Default random. */
  newId?: () => string
}

/** Runs an agent once. Never rejects: how it ended is told by the outcome. */
export async function runAgent(
  settings: AgentSettings,
  request: AgentRequest,
  options: RunAgentOptions = {},
): Promise<AgentOutcome> {
  return new AgentRun(settings, request, options).run()
}

class AgentRun {
  readonly #settings: AgentSettings
  readonly #request: AgentRequest
  readonly #options: RunAgentOptions
  readonly #time: Time
  readonly #startedAt: number
  readonly #controller = new AbortController()
  #worktree: Worktree | undefined
  /** Why we ended it ourselves, if we did. */
  #ending: Ending | undefined
  #toldSession: string | undefined
  #log: LogTail | undefined

  constructor(settings: AgentSettings, request: AgentRequest, options: RunAgentOptions) {
    this.#settings = settings
    this.#request = request
    this.#options = options
    this.#time = options.time ?? realTime
    this.#startedAt = this.#time.monotonic()
  }

  async run(): Promise<AgentOutcome> {
    const { env = process.env, cwd = process.cwd() } = this.#options
    const prepared = prepare(this.#settings, this.#request, { env, cwd })
    if ('failure' in prepared) return this.#failed(prepared.failure)
    const wrong = await this.#wrongVersion(prepared)
    if (wrong) return this.#failed(wrong, prepared)
    const unmade = await this.#enterWorktree(prepared)
    if (unmade) return this.#failed(unmade, prepared)
    return this.#execute(prepared)
  }

  async #wrongVersion({ program, env, cwd }: Prepared): Promise<Failure | undefined> {
    const { minVersion, id, args = [] } = this.#settings
    if (minVersion === undefined) return undefined
    const { signal } = this.#options
    const asked = await askVersion(id, [program, ...args], {
      env,
      cwd,
      time: this.#time,
      ...(signal ? { signal } : {}),
    })
    return 'failure' in asked ? asked.failure : tooOld(id, asked.version, minVersion)
  }

  async #enterWorktree(prepared: Prepared): Promise<Failure | undefined> {
    const { worktree } = prepared.options
    const { session } = this.#request
    this.#worktree = session?.worktree
    if (session || worktree === undefined || worktree === false) return undefined
    const { signal, newId = randomUUID } = this.#options
    const made = await makeWorktree(
      { cwd: prepared.cwd, env: prepared.env, time: this.#time, newId, ...(signal ? { signal } : {}) },
      { provider: this.#settings.id, name: worktree === true ? undefined : worktree },
    )
    if ('failure' in made) return made.failure
    this.#worktree = made.worktree
    prepared.cwd = made.worktree.path
    return undefined
  }

  async #execute(prepared: Prepared): Promise<AgentOutcome> {
    const files = new PrivateFiles()
    const watch = this.#watch(prepared)
    const follower = {
      worked: () => watch.worked(),
      said: () => watch.said(),
      selfRetried: (retry: SelfRetry) => watch.selfRetried(retry),
      spent: (now: Reading) => this.#spent(now, prepared),
    }
    const reading = new Reading(this.#settings.price, follower, this.#before(prepared))
    const output = new OutputReader(prepared.cli, reading, () => this.#sessionKnown(prepared, reading))
    const sinceMs = this.#time.now()
    let result: ProcessResult
    try {
      result = await run({
        argv: [prepared.program, ...prepared.argv.map(argument => files.text(argument))],
        cwd: prepared.cwd,
        env: prepared.env,
        ...(prepared.stdin === undefined ? {} : { stdin: prepared.stdin }),
        timeoutMs: prepared.options.timeoutMs ?? Infinity,
        stallMs: this.#settings.stallMs ?? STALL_DEFAULT_MS,
        signal: this.#signal(),
        onOutput: output.push,
        time: this.#time,
        ...(this.#options.killGraceMs === undefined ? {} : { killGraceMs: this.#options.killGraceMs }),
        ...(this.#options.logFile === undefined ? {} : { logFile: this.#options.logFile }),
      })
    } catch (error) {
      return this.#failed(notStarted(this.#settings.id, prepared.program, error), prepared)
    } finally {
      watch.stop()
      files.remove()
      this.#endLog(prepared)
    }
    output.end()
    this.#findSession(prepared, reading, sinceMs)
    return this.#outcome(prepared, reading, result, watch.waitingOut)
  }

  /** Follows the log of a CLI that says too little on its streams, as soon as its session tells where it is. */
  #followLog({ cli, env }: Prepared, reading: Reading): void {
    const { log } = cli
    if (!log || this.#log || reading.sessionId === undefined) return
    this.#log = new LogTail(log.path(reading.sessionId, env), this.#time, line => log.read(line, reading))
  }

  #endLog({ cli, isLogOurs }: Prepared): void {
    this.#log?.end()
    if (cli.log && isLogOurs) this.#log?.remove()
  }

  /** Some tell their session only at the end, and a run that was ended never gets there. */
  #findSession(prepared: Prepared, reading: Reading, sinceMs: number): void {
    if (reading.sessionId !== undefined || this.#request.session) return
    reading.sessionId = prepared.cli.findSession?.({ cwd: prepared.cwd, env: prepared.env, sinceMs })
    this.#sessionKnown(prepared, reading)
  }

  /** What the totals of the CLI begin with. */
  #before({ cli: { totalsOfSession = [] } }: Prepared): Totals {
    const { totalUsd, totalUsage } = this.#request.session ?? {}
    return {
      ...(totalsOfSession.includes('cost') && typeof totalUsd === 'number' ? { usd: totalUsd } : {}),
      ...(totalsOfSession.includes('usage') && totalUsage ? { usage: totalUsage } : {}),
    }
  }

  #signal(): AbortSignal {
    const { signal } = this.#options
    return signal ? AbortSignal.any([signal, this.#controller.signal]) : this.#controller.signal
  }

  #watch({ cli }: Prepared): Watch {
    const { classify = {} } = this.#options
    return new Watch({
      time: this.#time,
      settings: this.#options.watch ?? {},
      provider: this.#settings.id,
      classify: {
        ...classify,
        ...signaturesFor(this.#settings.id, classify),
        provider: cli.knownAs ?? cli.name,
      },
      end: cause => this.#end({ by: 'watch', cause }),
    })
  }

  #sessionKnown(prepared: Prepared, reading: Reading): void {
    this.#followLog(prepared, reading)
    if (reading.sessionId === undefined || reading.sessionId === this.#toldSession) return
    this.#toldSession = reading.sessionId
    const session = sessionOf({
      settings: this.#settings,
      request: this.#request,
      prepared,
      reading,
      spent: this.#spentBy(reading),
      worktree: this.#worktree,
    })
    if (session) this.#tell(this.#options.onSession, session)
  }

  /** Tells what was spent, and keeps the rails that the CLI does not keep. */
  #spent(reading: Reading, prepared: Prepared): void {
    const { rails } = prepared
    const spent = this.#spentBy(reading)
    // What has answered is not stopped any more: its last cost is told with the outcome.
    if (reading.ended === 'succeeded') return
    this.#tell(this.#options.onSpent, spent)
    if ((spent.turns ?? 0) > (rails.maxTurns ?? Infinity)) this.#end({ by: 'rail', rail: 'max_turns' })
    if ((spent.costUsd ?? 0) >= (rails.maxBudgetUsd ?? Infinity))
      this.#end({ by: 'rail', rail: 'max_budget' })
  }

  /** Whoever listens must not be able to break the run. */
  #tell<T>(listener: ((news: T) => void) | undefined, news: T): void {
    try {
      listener?.(news)
    } catch {
      // It is theirs to notice.
    }
  }

  #spentBy(reading: Reading): Spent {
    return {
      costUsd: reading.costUsd,
      turns: reading.turns,
      usage: reading.usage,
      durationMs: this.#time.monotonic() - this.#startedAt,
    }
  }

  #end(ending: Ending): void {
    if (this.#ending) return
    this.#ending = ending
    this.#controller.abort()
  }

  #outcome(
    prepared: Prepared,
    reading: Reading,
    result: ProcessResult,
    waitingOut: Failure | null,
  ): AgentOutcome {
    const facts = {
      settings: this.#settings,
      request: this.#request,
      prepared,
      reading,
      result,
      ending: this.#ending ?? endingBy(result, this.#options.signal),
      waitingOut,
      spent: this.#spentBy(reading),
      context: { ...this.#options.classify, now: this.#time.now() },
      worktree: this.#worktree,
    }
    const failure = lastWord(facts)
    return failure ? failureOf(facts, failure) : answerOf(facts)
  }

  #failed(failure: Failure, prepared?: Prepared): AgentOutcome {
    return failureOf(
      {
        settings: this.#settings,
        request: this.#request,
        prepared,
        spent: {
          costUsd: null,
          turns: null,
          usage: null,
          durationMs: this.#time.monotonic() - this.#startedAt,
        },
        worktree: this.#worktree,
      },
      failure,
    )
  }
}

/** Who ended it, where it was neither the program nor we. */
function endingBy(result: ProcessResult, signal: AbortSignal | undefined): Ending | undefined {
  if (!result.aborted) return undefined
  const { name } = (signal?.reason ?? {}) as { name?: unknown }
  if (name === 'TimeoutError') return { by: 'deadline' }
  return name === OVERSPENT ? { by: 'rail', rail: 'max_budget' satisfies RailKind } : { by: 'caller' }
}
