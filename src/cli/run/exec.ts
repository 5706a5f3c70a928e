import { constants } from 'node:os'
import { call } from '../../call/call.ts'
import { isCallFailed } from '../../call/call-failed.ts'
import type { CallContext } from '../../call/context.ts'
import type { CallEvent } from '../../call/event.ts'
import { classify } from '../../failure/classify.ts'
import type { ClassifyContext } from '../../failure/context.ts'
import { KnownFailure } from '../../failure/own-error.ts'
import { present } from '../../failure/present.ts'
import { unknownSeenIn } from '../../ledger/call-unknowns.ts'
import { KILL_GRACE_DEFAULT_MS } from '../../process/guard.ts'
import { type ProcessResult, run as runProcess } from '../../process/run.ts'
import { quietly } from '../../time/clean-up.ts'
import { EXIT, EXIT_USAGE, exitCodeOf } from '../exit-code.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { countFlag, positiveDurationFlag } from '../flag/flags.ts'
import { SESSION_VARIABLE, sessionOf } from '../flag/session-flag.ts'
import { Progress } from '../print/progress.ts'
import { configuredClassify, learnedClassify } from '../runtime/agents.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'

const OPTIONS = {
  retries: { type: 'string' },
  budget: { type: 'string' },
  provider: { type: 'string' },
  stall: { type: 'string' },
  stdin: { type: 'boolean' },
  'exit-class': { type: 'boolean' },
  session: { type: 'string' },
  config: { type: 'string' },
} as const

export const usage = `Usage: mulligan exec [OPTIONS] -- CMD ARGS…

Runs any program; with --retries, retries it after temporary failures. Passes its output through unchanged. Exits with
the program's code; 124 if time ran out, 126 or 127 if it could not start, 130 if you stopped it.

  --retries N       retry up to N times. This also declares that running the program twice is safe, so unknown failures
                    are retried too. Default: run once
  --budget D        time limit over all tries and waits, such as 10m
  --stall D         longest time without output
  --provider P      the provider it uses: selects the config's error signatures, and how its tries end counts for its
                    health. While it is blocked, the program waits as long as --budget allows (5 min without), or is not
                    started: exit 69
  --stdin           read all of stdin and give it to every try; default: stdin is empty
  --exit-class      exit by failure class: ${EXIT_USAGE.replaceAll('\n', '\n                    ')}
  --session S       sets MULLIGAN_SESSION for the program, so operations it submits belong to this session; default:
                    unchanged
  --config FILE     mulligan.toml; default: MULLIGAN_CONFIG, else the nearest one in this folder or above`

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const [program, ...args] = positionals
  if (program === undefined) throw new UsageError('no command; give it after --')
  const retries = countFlag('--retries', values.retries)
  const budgetMs = positiveDurationFlag('--budget', values.budget)
  const execution = new Execution(terminal, {
    argv: [program, ...args],
    provider: values.provider,
    classify: await configuredClassify(values.config, terminal),
    learned: () => learnedClassify(values.config, terminal),
    stallMs: positiveDurationFlag('--stall', values.stall) ?? Infinity,
    stdin: values.stdin ? await terminal.readStdin() : undefined,
    session: sessionOf(values.session, terminal),
  })
  const progress = new Progress(terminal, { prefix: 'mulligan: ', flag: '--retries N' })
  const { provider } = values
  const failed: FailedTry[] = []
  const shared = provider === undefined ? undefined : await sharedState(values.config, terminal)
  try {
    await call(context => execution.try(context), {
      name: 'exec',
      signal: terminal.signal,
      retry: retries === undefined ? 'none' : 'replay',
      softFailures: false,
      graceMs: KILL_GRACE_DEFAULT_MS + RESULT_MARGIN_MS,
      onEvent: event => {
        progress.onEvent(event)
        if (event.type === 'attempt.failed') failed.push(event)
      },
      maxRetries: retries ?? 0,
      ...present({ budgetMs, provider }),
      ...(shared ? { health: shared.health } : {}),
    })
    return EXIT.done
  } catch (error) {
    if (!isCallFailed(error)) throw error
    // Also covers an abort between two tries, after the program has ended.
    if (terminal.signal.aborted) return EXIT.aborted
    if (error.attempts.length === 0 && error.failure.origin === 'gate') {
      terminal.stderr(`mulligan: ${program} was not started: ${error.message}\n`)
      return exitCodeOf(error.failure)
    }
    return values['exit-class'] ? exitCodeOf(error.failure) : execution.exitCode
  } finally {
    // The program has ended; what it ended with counts.
    if (failed.some(unknownSeenIn)) await quietly(() => recordUnknowns(failed, values.config, terminal))
    await quietly(() => shared?.close())
  }
}

type FailedTry = CallEvent & { type: 'attempt.failed' }

/** The health that all processes on the data folder share, and their ledger; undefined if they cannot be used. */
async function sharedState(config: string | undefined, terminal: Terminal): Promise<Runtime | undefined> {
  const { openRuntime } = await import('../runtime/runtime.ts')
  try {
    return await openRuntime({ config }, terminal, { absent: 'keep_out', onNoState: () => {} })
  } catch {
    // The program need not fail because of that.
    return undefined
  }
}

/** Records in the ledger, if there is one, what no rule or label matches. */
async function recordUnknowns(
  failed: readonly FailedTry[],
  config: string | undefined,
  terminal: Terminal,
): Promise<void> {
  const { unknownsOf, withRuntime } = await import('../runtime/runtime.ts')
  await withRuntime({ config }, terminal, { absent: 'keep_out', onNoState: () => {} }, async runtime => {
    const unknowns = unknownsOf(runtime)
    for (const event of failed) unknowns.onEvent(event)
    await unknowns.written()
  })
}

/** Time beyond the kill grace for the process result to arrive, in milliseconds. */
const RESULT_MARGIN_MS = 1_000

interface ExecutionSettings {
  argv: [string, ...string[]]
  provider: string | undefined
  classify: Pick<ClassifyContext, 'signatures' | 'timeZone'>
  /** The same settings, plus the active labels. */
  learned: () => Promise<Pick<ClassifyContext, 'signatures' | 'timeZone'>>
  stallMs: number
  stdin: string | undefined
  session: string | undefined
}

/** One program, started once per try. */
class Execution {
  /** Exit code of the command if no further try follows. */
  exitCode: number = EXIT.unknown
  readonly #terminal: Terminal
  readonly #settings: ExecutionSettings

  constructor(terminal: Terminal, settings: ExecutionSettings) {
    this.#terminal = terminal
    this.#settings = settings
  }

  async try({ signal }: CallContext): Promise<void> {
    const { argv, stallMs, stdin, provider, session, classify: more } = this.#settings
    const result = await this.#started(() =>
      runProcess({
        argv,
        cwd: this.#terminal.cwd,
        env: { ...this.#terminal.env, ...(session === undefined ? {} : { [SESSION_VARIABLE]: session }) },
        signal,
        stallMs,
        ...present({ stdin }),
        onOutput: (stream, chunk) => this.#terminal[stream](chunk),
      }),
    )
    const isLate = (signal.reason as { name?: unknown } | undefined)?.name === 'TimeoutError'
    this.exitCode = exitCodeOfResult(result, isLate)
    const own = {
      aborted: result.aborted && !isLate,
      timedOut: result.timedOut || (result.aborted && isLate),
    }
    const context = { now: this.#terminal.now(), provider, own }
    if (!classify(result, { ...more, ...context })) return
    // Reading labels takes time, so do it only for a failure.
    const failure = classify(result, { ...(await this.#settings.learned()), ...context })
    if (failure) throw new KnownFailure(failure, result)
  }

  async #started(start: () => Promise<ProcessResult>): Promise<ProcessResult> {
    try {
      return await start()
    } catch (error) {
      const isMissing = (error as { code?: unknown }).code === 'ENOENT'
      this.exitCode = isMissing ? 127 : 126
      const reason = isMissing ? 'command not found' : (error as Error).message
      this.#terminal.stderr(`mulligan: cannot start ${this.#settings.argv[0]}: ${reason}\n`)
      throw error
    }
  }
}

function exitCodeOfResult({ exitCode, signal, timedOut, aborted }: ProcessResult, isLate: boolean): number {
  if (timedOut || (aborted && isLate)) return EXIT.timeout
  if (aborted) return EXIT.aborted
  return exitCode ?? 128 + (signal === null ? 0 : constants.signals[signal])
}
