import { randomUUID } from 'node:crypto'
import { OVERSPENT } from '../call/attempt/outcome.ts'
import type { Totals } from '../failure/cli/tally.ts'
import type { ClassifyContext, RailKind } from '../failure/context.ts'
import type { Failure } from '../failure/failure.ts'
import { present } from '../failure/present.ts'
import { checkNames, namesOf } from '../option/check-names.ts'
import { type ProcessResult, run } from '../process/run.ts'
import { quietly } from '../time/clean-up.ts'
import { realTime, type Time } from '../time/time.ts'
import { lookAtConnection, lookAtLimit } from './connection-look.ts'
import type { EarlyEnd } from './early-end.ts'
import { type Launch, ownFiles, planLaunch } from './launch.ts'
import { LogTail } from './log-tail.ts'
import type { AgentOutcome, Spent } from './outcome.ts'
import { OutputReader } from './output-reader.ts'
import { PrivateFiles } from './private-files.ts'
import { failureOf, outcomeOf, sessionOf } from './read-outcome.ts'
import type { AgentRequest, AgentSession } from './request.ts'
import { signaturesFor } from './run-failure.ts'
import { RunProgress, type SelfRetry } from './run-progress.ts'
import { rememberTotals, totalsBefore } from './session.ts'
import { type AgentSettings, STALL_DEFAULT_MS } from './settings.ts'
import { type AnswerEnd, lastAnswerEnd } from './side-record.ts'
import type { Environment } from './variables.ts'
import { askVersion, notStarted, tooOld } from './version.ts'
import { checkWatch, Watch, type WatchSettings, withTimesOf } from './watch.ts'
import { makeWorktree, type Worktree } from './worktree.ts'

/** What a run may use from outside, and its listeners. */
export interface RunAgentOptions {
  /** Aborting ends the whole process tree. A reason named `TimeoutError` counts as a timeout, any other as an abort. */
  signal?: AbortSignal
  /** The clock. Default: this machine's. */
  time?: Time
  /** The environment that variable names refer to. Default: this process's. */
  env?: Environment
  /** The base of relative folders, and the default working folder. Default: this process's. */
  cwd?: string
  /** Time between SIGTERM and SIGKILL, in milliseconds. Default 3 s. */
  killGraceMs?: number
  /** File (mode 0600) that receives all output. Default: none. */
  logFile?: string
  /** When to end a CLI that keeps retrying on its own. */
  watch?: WatchSettings
  /** More for the classifier: signatures, the time zone of clock times. */
  classify?: Pick<ClassifyContext, 'signatures' | 'timeZone'>
  /** Called whenever the run's spending changes, until it answers. */
  onSpent?: (spent: Spent) => void
  /** Called as soon as the session is known, so it can be stored before anything happens to us. */
  onSession?: (session: AgentSession) => void
  /** Makes names for worktrees. Default: random. */
  newId?: () => string
}

/** Runs an agent once. Rejects only for an unknown option: every failure of the run is in the outcome. */
export async function runAgent(
  settings: AgentSettings,
  request: AgentRequest,
  options: RunAgentOptions = {},
): Promise<AgentOutcome> {
  checkNames('runAgent', options, NAMES)
  checkWatch('runAgent', options)
  return new AgentRun(settings, request, options).run()
}

class AgentRun {
  readonly #settings: AgentSettings
  #request: AgentRequest
  readonly #options: RunAgentOptions
  readonly #time: Time
  readonly #startedAt: number
  readonly #controller = new AbortController()
  #worktree: Worktree | undefined
  /** Why we ended it ourselves, if we did. */
  #earlyEnd: EarlyEnd | undefined
  #toldSession: string | undefined
  #log: LogTail | undefined
  #looked: Promise<Failure | undefined> | undefined

  constructor(settings: AgentSettings, request: AgentRequest, options: RunAgentOptions) {
    this.#settings = settings
    this.#request = request
    this.#options = options
    this.#time = options.time ?? realTime
    this.#startedAt = this.#time.monotonic()
  }

  async run(): Promise<AgentOutcome> {
    const { env = process.env, cwd = process.cwd() } = this.#options
    const launch = planLaunch(this.#settings, this.#request, { env, cwd })
    if ('failure' in launch) return this.#failed(launch.failure)
    const wrong = await this.#wrongVersion(launch)
    if (wrong) return this.#failed(wrong, launch)
    const unmade = await this.#enterWorktree(launch)
    if (unmade) return this.#failed(unmade, launch)
    const outcome = await this.#execute(launch)
    if (outcome.session) rememberTotals(outcome.session)
    return outcome
  }

  async #wrongVersion({ program, env, cwd }: Launch): Promise<Failure | undefined> {
    const { minVersion, id, args = [] } = this.#settings
    if (minVersion === undefined) return undefined
    const { signal } = this.#options
    const asked = await askVersion(id, [program, ...args], {
      env,
      cwd,
      time: this.#time,
      ...present({ signal }),
    })
    return 'failure' in asked ? asked.failure : tooOld(id, asked.version, minVersion)
  }

  async #enterWorktree(launch: Launch): Promise<Failure | undefined> {
    const { worktree } = launch.options
    const { session } = this.#request
    this.#worktree = session?.worktree
    if (session || worktree === undefined || worktree === false) return undefined
    const { signal, newId = randomUUID } = this.#options
    const made = await makeWorktree(
      { cwd: launch.cwd, env: launch.env, time: this.#time, newId, ...present({ signal }) },
      { provider: this.#settings.id, name: worktree === true ? undefined : worktree },
    )
    if ('failure' in made) return made.failure
    this.#worktree = made.worktree
    launch.cwd = made.worktree.path
    return undefined
  }

  async #execute(launch: Launch): Promise<AgentOutcome> {
    const files = new PrivateFiles()
    try {
      return await this.#executeWith(files, launch)
    } finally {
      void quietly(() => files.remove())
    }
  }

  async #executeWith(files: PrivateFiles, launch: Launch): Promise<AgentOutcome> {
    this.#believeRecord(launch)
    const watch = this.#watch(launch)
    const follower = {
      worked: () => watch.worked(),
      said: () => watch.said(),
      selfRetried: (retry: SelfRetry) => {
        watch.selfRetried(retry)
        if (watch.waitingOut && isUnexplained(watch.waitingOut)) this.#lookEarly(launch, progress)
      },
      spent: (now: RunProgress) => this.#spent(now, launch),
    }
    const progress = new RunProgress(
      this.#settings.price,
      follower,
      this.#before(launch),
      launch.cli.profile?.readingTools,
    )
    const output = new OutputReader(launch.cli, progress, () => this.#sessionKnown(launch, progress))
    const sinceMs = this.#time.now()
    const { env, file } = this.#askForRecord(launch, files)
    let printedAt = this.#time.monotonic()
    let result: ProcessResult
    try {
      result = await run({
        argv: [launch.program, ...launch.argv.map(argument => files.text(argument))],
        cwd: launch.cwd,
        env,
        ...present({ stdin: launch.stdin }),
        timeoutMs: launch.options.timeoutMs ?? Infinity,
        stallMs: this.#settings.stallMs ?? STALL_DEFAULT_MS,
        signal: this.#signal(),
        onOutput: (stream, chunk) => {
          const now = this.#time.monotonic()
          progress.silentMs = Math.max(progress.silentMs, now - printedAt)
          printedAt = now
          output.push(stream, chunk)
        },
        time: this.#time,
        ...present({ killGraceMs: this.#options.killGraceMs, logFile: this.#options.logFile }),
      })
    } catch (error) {
      return this.#failed(notStarted(this.#settings.id, launch.program, error), launch)
    } finally {
      watch.stop()
      this.#endLog(launch)
    }
    output.end()
    this.#findSession(launch, progress, sinceMs)
    const answerEnd = this.#answerEnd(launch, progress, file, sinceMs)
    return this.#outcome(launch, progress, result, watch.waitingOut, answerEnd)
  }

  /** Nothing that the CLI repeats heals a certificate. */
  #lookEarly(launch: Launch, progress: RunProgress): void {
    if (this.#looked || !isSilent(progress)) return
    void this.#look(launch, progress).then(cause => {
      if (cause) this.#end({ by: 'watch', cause })
    })
  }

  /** Why there is no answer, if the CLI does not say. Looks once. */
  #look(launch: Launch, progress: RunProgress): Promise<Failure | undefined> {
    this.#looked ??= this.#lookWith(lookAtConnection, launch, progress)
    return this.#looked
  }

  async #lookWith(
    look: typeof lookAtConnection,
    { cli: { connection }, env, cwd }: Launch,
    { endpoint }: RunProgress,
  ): Promise<Failure | undefined> {
    const asks = connection?.asks(ownFiles(env, cwd), this.#settings, endpoint)
    if (!connection || asks === undefined) return undefined
    const { signal } = this.#options
    const { trusts } = connection
    return look(asks, { provider: this.#settings.id, env, trusts, cwd, time: this.#time, signal })
  }

  /** The environment with our defaults, that makes the CLI write its side record, and the file it goes to. */
  #askForRecord(
    { cli, env: own, cwd, defaults }: Launch,
    files: PrivateFiles,
  ): { env: Launch['env']; file?: string } {
    const env = defaults ? { ...own, [defaults.variable]: files.text({ fileWith: defaults.content }) } : own
    if (!cli.sideRecord?.ask) return { env }
    const file = files.empty()
    const more = cli.sideRecord.ask(file, { env, cwd })
    return more === undefined ? { env } : { env: { ...env, ...more }, file }
  }

  #answerEnd(
    { cli: { sideRecord }, env }: Launch,
    { sessionId }: RunProgress,
    file: string | undefined,
    sinceMs: number,
  ): AnswerEnd | undefined {
    if (!sideRecord) return undefined
    const path = file ?? (sessionId === undefined ? undefined : sideRecord.path?.(sessionId, env))
    return path === undefined ? undefined : lastAnswerEnd(path, sideRecord, sinceMs)
  }

  /** Follows the log of a CLI that says too little in its output, as soon as its session tells where the log is. */
  #followLog({ cli, env }: Launch, progress: RunProgress): void {
    const { log } = cli
    if (!log || this.#log || progress.sessionId === undefined) return
    this.#log = new LogTail(log.path(progress.sessionId, env), this.#time, line => log.watch(line, progress))
  }

  #endLog({ cli, isLogOurs }: Launch): void {
    this.#log?.end()
    if (cli.log && isLogOurs) this.#log?.remove()
  }

  /** Some CLIs report their session only at the end, which a killed run never reaches. */
  #findSession(launch: Launch, progress: RunProgress, sinceMs: number): void {
    if (progress.sessionId !== undefined || this.#request.session) return
    progress.sessionId = launch.cli.findSession?.({ cwd: launch.cwd, env: launch.env, sinceMs })
    this.#sessionKnown(launch, progress)
  }

  /** What the CLI itself recorded about a session is what its totals will include, whoever ran it, in whichever process. */
  #believeRecord({ cli, env, options: { resume } }: Launch): void {
    const { session } = this.#request
    const id = session?.id ?? resume
    const totalUsd = id === undefined ? undefined : cli.recordedCost?.(id, env)
    if (id === undefined || totalUsd === undefined) return
    if (session) this.#request = { ...this.#request, session: { ...session, totalUsd } }
    else rememberTotals({ provider: this.#settings.id, id, totalUsd, totalUsage: null })
  }

  /** What the CLI's totals already include. */
  #before(launch: Launch): Totals {
    const { totalsOfSession = [] } = launch.cli.profile ?? {}
    const { totalUsd, totalUsage } = totalsBefore(this.#settings.id, this.#request, launch) ?? {}
    return {
      ...(totalsOfSession.includes('cost') && typeof totalUsd === 'number' ? { usd: totalUsd } : {}),
      ...(totalsOfSession.includes('usage') && totalUsage ? { usage: totalUsage } : {}),
    }
  }

  #signal(): AbortSignal {
    const { signal } = this.#options
    return signal ? AbortSignal.any([signal, this.#controller.signal]) : this.#controller.signal
  }

  #watch({ cli }: Launch): Watch {
    const { classify = {} } = this.#options
    return new Watch({
      time: this.#time,
      settings: this.#options.watch ?? {},
      provider: this.#settings.id,
      classify: {
        ...classify,
        ...signaturesFor(this.#settings.id, classify),
        provider: cli.profile?.names[0] ?? cli.name,
      },
      end: cause => this.#end({ by: 'watch', cause }),
    })
  }

  #sessionKnown(launch: Launch, progress: RunProgress): void {
    this.#followLog(launch, progress)
    if (progress.sessionId === undefined || progress.sessionId === this.#toldSession) return
    this.#toldSession = progress.sessionId
    const session = sessionOf({
      settings: this.#settings,
      request: this.#request,
      launch,
      progress,
      spent: this.#spentBy(progress),
      worktree: this.#worktree,
    })
    if (session) this.#notify(this.#options.onSession, session)
  }

  /** Reports spending, and enforces the rails that the CLI does not. */
  #spent(progress: RunProgress, launch: Launch): void {
    const { rails } = launch
    const spent = this.#spentBy(progress)
    // A run that has answered is no longer stopped: its final cost is in the outcome.
    if (progress.hasAnswered) return
    this.#notify(this.#options.onSpent, spent)
    if ((spent.turns ?? 0) > (rails.maxTurns ?? Infinity)) this.#end({ by: 'rail', rail: 'max_turns' })
    if ((spent.costUsd ?? 0) >= (rails.maxBudgetUsd ?? Infinity))
      this.#end({ by: 'rail', rail: 'max_budget' })
  }

  /** Calls a listener, whose errors must not break the run. */
  #notify<T>(listener: ((news: T) => void) | undefined, news: T): void {
    try {
      listener?.(news)
    } catch {
      // The listener must handle its own errors.
    }
  }

  #spentBy(progress: RunProgress): Spent {
    return {
      costUsd: progress.costUsd,
      turns: progress.turns,
      usage: progress.usage,
      durationMs: this.#time.monotonic() - this.#startedAt,
    }
  }

  #end(earlyEnd: EarlyEnd): void {
    if (this.#earlyEnd) return
    this.#earlyEnd = earlyEnd
    this.#controller.abort()
  }

  async #outcome(
    launch: Launch,
    progress: RunProgress,
    result: ProcessResult,
    waitingOut: Failure | null,
    answerEnd: AnswerEnd | undefined,
  ): Promise<AgentOutcome> {
    const facts = {
      settings: this.#settings,
      request: this.#request,
      launch,
      progress,
      result,
      earlyEnd: this.#earlyEnd ?? earlyEndBy(result, this.#options.signal),
      waitingOut,
      answerEnd,
      spent: this.#spentBy(progress),
      context: { ...this.#options.classify, now: this.#time.now() },
      worktree: this.#worktree,
    }
    const outcome = outcomeOf(facts)
    if (!outcome.ok && isUndated(outcome.failure)) {
      const limit = await this.#lookWith(lookAtLimit, launch, progress)
      return { ...outcome, failure: withTimesOf(outcome.failure, limit ?? null) }
    }
    if (outcome.ok || !isUnexplained(outcome.failure) || !isSilent(progress)) return outcome
    const { effect, exitCode, signal } = outcome.failure
    const cause = await this.#look(launch, progress)
    return cause ? failureOf(facts, { ...cause, effect, ...present({ exitCode, signal }) }) : outcome
  }

  #failed(failure: Failure, launch?: Launch): AgentOutcome {
    return failureOf(
      {
        settings: this.#settings,
        request: this.#request,
        launch,
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

/** The options of {@link runAgent}. */
export const RUN_AGENT_OPTIONS = {
  signal: true,
  time: true,
  env: true,
  cwd: true,
  killGraceMs: true,
  logFile: true,
  watch: true,
  classify: true,
  onSpent: true,
  onSession: true,
  newId: true,
} as const
const NAMES = namesOf<RunAgentOptions>(RUN_AGENT_OPTIONS)

/** True for a failure that says there was no answer, or no readable one, but not why. */
function isUnexplained({ class: of, kind }: Failure): boolean {
  return of === 'transient' && (kind === 'network' || kind === 'stream_cut' || kind === 'bad_json')
}

/** True for a limit that says neither how long it lasts nor when it lifts. */
function isUndated({ class: of, kind, retryAfterMs, resetAt }: Failure): boolean {
  return of === 'throttle' && kind !== 'billing' && retryAfterMs === undefined && resetAt === undefined
}

/** True if no word or deed of the model shows that its vendor answered. */
function isSilent({ text, hasUsedTool }: RunProgress): boolean {
  return text.trim() === '' && !hasUsedTool
}

/** What ended it from outside, if neither the program nor we did. */
function earlyEndBy(result: ProcessResult, signal: AbortSignal | undefined): EarlyEnd | undefined {
  if (!result.aborted) return undefined
  const { name } = (signal?.reason ?? {}) as { name?: unknown }
  if (name === 'TimeoutError') return { by: 'deadline' }
  return name === OVERSPENT ? { by: 'rail', rail: 'max_budget' satisfies RailKind } : { by: 'caller' }
}
