import type { Failure } from '../failure/failure.ts'
import { isOperationFailed, type OperationFailed } from '../queue/error.ts'
import { failedToJson, handedOverToJson } from '../queue/hand-over-json.ts'
import type { RunNowOptions } from '../queue/run-now.ts'
import { isHandedOver, type RanNow, type RunResult } from '../queue/run-result.ts'
import { EXIT, exitCodeOf } from './exit-code.ts'
import { Stopped, type Terminal } from './main.ts'
import { Progress } from './progress.ts'
import type { QueueRuntime } from './queue-runtime.ts'
import { traceIn } from './trace-variables.ts'

/** Something that is run now, and handed over if it cannot work now. */
export interface RunHere {
  /** The command that runs it, for messages. */
  command: string
  /**
   * For tries and waits in this process, in milliseconds; at its end a try is cut. Default: no try is cut, and what would
   * wait longer than the budget of the queue is handed over.
   */
  budgetMs?: number | undefined
  json: boolean
  /** Runs it with these options, which belong to this process. */
  run: (options: RunNowOptions) => Promise<RunResult>
  /** Prints what succeeded. */
  printDone: (ran: RanNow) => void
}

/** Runs something now, prints how it went, and gives the exit code. */
export async function runHere(
  { command, budgetMs = Infinity, json, run, printDone }: RunHere,
  runtime: QueueRuntime,
  terminal: Terminal,
): Promise<number> {
  const { cancel, release } = signalsOf(terminal.signal)
  const progress = new Progress(terminal, { budgetMs, isLive: terminal.stderrIsTerminal === true })
  try {
    const running = run({
      budgetMs,
      ...(budgetMs === Infinity ? { waitHereMs: runtime.loaded.config.queue.budgetMs } : {}),
      signal: cancel,
      release,
      onEvent: progress.onEvent,
      onSpent: ({ costUsd }) => progress.spent(costUsd),
      ...traceIn(terminal),
    })
    const result = await running.finally(() => progress.stop())
    if (!isHandedOver(result)) {
      printDone(result)
      return EXIT.done
    }
    const { operationId, retryHint } = result
    if (release.aborted)
      terminal.stderr(
        `mulligan ${command}: ${(release.reason as Error).message}; ${operationId} went back to the queue, without using a retry\n`,
      )
    if (json) terminal.stdout(`${JSON.stringify(handedOverToJson(result))}\n`)
    else {
      terminal.stdout(`${operationId}\n`)
      terminal.stderr(`${retryHint}\n`)
    }
    return EXIT.tryLater
  } catch (error) {
    if (!isOperationFailed(error)) throw error
    return printFailed(error, command, runtime, json, terminal)
  }
}

/** Ctrl-C means a person wants it to end; other signals only stop the process. */
function signalsOf(signal: AbortSignal): { cancel: AbortSignal; release: AbortSignal } {
  const [cancel, release] = [new AbortController(), new AbortController()]
  const stop = () => {
    const { reason } = signal
    const isPerson = !(reason instanceof Stopped) || reason.by === 'SIGINT'
    ;(isPerson ? cancel : release).abort(reason)
  }
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  return { cancel: cancel.signal, release: release.signal }
}

async function printFailed(
  { operation, message }: OperationFailed,
  command: string,
  { ledger }: QueueRuntime,
  json: boolean,
  terminal: Terminal,
): Promise<number> {
  const failure = (await ledger.attempts(operation.id)).findLast(attempt => attempt.failure)?.failure
  if (json) terminal.stdout(`${JSON.stringify(failedToJson(operation, failure))}\n`)
  else terminal.stderr(`mulligan ${command}: ${message}\n`)
  if (operation.deadAs === 'cancelled') return EXIT.aborted
  return failure ? exitCodeOf(failure as Failure) : EXIT.permanent
}
