import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OVERSPENT } from '../call/index.ts'
import type { ClassifyContext, Failure, RailKind } from '../failure/index.ts'
import { type RunResult, run } from '../process/index.ts'
import { realTime, type Time } from '../time/index.ts'
import type { Argument } from './cli.ts'
import type { Environment } from './environment.ts'
import { LineSplitter } from './line-splitter.ts'
import type { AgentOutcome, Spent } from './outcome.ts'
import { type Prepared, prepare } from './prepare.ts'
import { answerOf, type Ending, failureOf, lastWord } from './read-outcome.ts'
import { Reading } from './reading.ts'
import type { AgentRequest } from './request.ts'
import { type AgentSettings, STALL_DEFAULT_MS } from './settings.ts'
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
  /** Told as soon as the session is known, so that it can be written down. */
  onSession?: (sessionId: string) => void
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
    const reading = new Reading(this.#settings.price, {
      worked: () => watch.worked(),
      selfRetried: retry => watch.selfRetried(retry),
      spent: () => this.#spent(reading, prepared),
    })
    const output = this.#reader(prepared, reading)
    try {
      const result = await run({
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
      output.end()
      return this.#outcome(prepared, reading, result)
    } catch (error) {
      return this.#failed(notStarted(this.#settings.id, prepared.program, error), prepared)
    } finally {
      watch.stop()
      files.remove()
    }
  }

  #signal(): AbortSignal {
    const { signal } = this.#options
    return signal ? AbortSignal.any([signal, this.#controller.signal]) : this.#controller.signal
  }

  #watch({ cli }: Prepared): Watch {
    return new Watch({
      time: this.#time,
      settings: this.#options.watch ?? {},
      provider: this.#settings.id,
      classifyAs: cli.name,
      end: cause => this.#end({ by: 'watch', cause }),
    })
  }

  /** Streams what is printed into the reading. What a program prints of which nothing is known is not looked into. */
  #reader({ cli }: Prepared, reading: Reading) {
    if (cli.name === 'command') return { push: () => {}, end: () => {} }
    const readText = (line: string) => cli.readText?.(line, reading)
    const stdout = new LineSplitter(
      line => this.#readLine(line, cli, reading),
      () => {
        reading.brokenLines++
      },
    )
    const stderr = new LineSplitter(readText)
    return {
      push: (stream: 'stdout' | 'stderr', chunk: Buffer) =>
        (stream === 'stdout' ? stdout : stderr).push(chunk),
      end: () => {
        stdout.end()
        stderr.end()
      },
    }
  }

  #readLine(line: string, cli: Prepared['cli'], reading: Reading): void {
    if (!line.startsWith('{')) {
      cli.readText?.(line, reading)
      return
    }
    let event: unknown
    try {
      event = JSON.parse(line)
    } catch {
      reading.brokenLines++
      return
    }
    cli.read(event as Readonly<Record<string, unknown>>, reading)
    if (reading.sessionId === undefined || reading.sessionId === this.#toldSession) return
    this.#toldSession = reading.sessionId
    this.#options.onSession?.(reading.sessionId)
  }

  /** Tells what was spent, and keeps the rails that the CLI does not keep. */
  #spent(reading: Reading, prepared: Prepared): void {
    const { rails } = prepared
    const spent = this.#spentBy(reading, prepared)
    // What has answered is not stopped any more: its last cost is told with the outcome.
    if (reading.ended === 'succeeded') return
    this.#options.onSpent?.(spent)
    if ((spent.turns ?? 0) > (rails.maxTurns ?? Infinity)) this.#end({ by: 'rail', rail: 'max_turns' })
    if ((spent.costUsd ?? 0) >= (rails.maxBudgetUsd ?? Infinity))
      this.#end({ by: 'rail', rail: 'max_budget' })
  }

  #spentBy(reading: Reading, { cli }: Prepared): Spent {
    const before = (cli.tellsSessionTotal && this.#request.session?.totalUsd) || 0
    return {
      costUsd: reading.costUsd === null ? null : Math.max(0, reading.costUsd - before),
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

  #outcome(prepared: Prepared, reading: Reading, result: RunResult): AgentOutcome {
    const facts = {
      settings: this.#settings,
      request: this.#request,
      prepared,
      reading,
      result,
      ending: this.#ending ?? endingBy(result, this.#options.signal),
      spent: this.#spentBy(reading, prepared),
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
function endingBy(result: RunResult, signal: AbortSignal | undefined): Ending | undefined {
  if (!result.aborted) return undefined
  const { name } = (signal?.reason ?? {}) as { name?: unknown }
  if (name === 'TimeoutError') return { by: 'deadline' }
  return name === OVERSPENT ? { by: 'rail', rail: 'max_budget' satisfies RailKind } : { by: 'caller' }
}

/** Files that hold what must not stand on a command line; gone when the run is. */
class PrivateFiles {
  #folder: string | undefined
  #count = 0

  text(argument: Argument): string {
    if (typeof argument === 'string') return argument
    // mkdtemp makes the folder for its owner alone.
    this.#folder ??= mkdtempSync(join(tmpdir(), 'mulligan-'))
    const file = join(this.#folder, String(++this.#count))
    writeFileSync(file, argument.fileWith, { mode: 0o600 })
    return file
  }

  remove(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true })
  }
}
