import type { Failure } from '../../failure/failure.ts'
import { isOperationFailed, type OperationFailed } from '../../queue/error.ts'
import { failedToJson, handedOverToJson } from '../../queue/hand-over-json.ts'
import type { RunNowOptions } from '../../queue/run-now.ts'
import { isHandedOver, type RanNow, type RunResult } from '../../queue/run-result.ts'
import { EXIT, exitCodeOf } from '../exit-code.ts'
import { printJson } from '../print/print-json.ts'
import { Progress } from '../print/progress.ts'
import type { QueueRuntime } from '../runtime/queue-runtime.ts'
import { Stopped, type Terminal } from '../terminal.ts'
import { traceIn } from './trace-variables.ts'

/** Work to run in this process, and to hand over to the queue if it cannot succeed now. */
export interface RunHere {
  /** Name of the command, for messages. */
  command: string
  /**
   * Time limit for tries and waits in this process, in milliseconds; ends a running try. Default: no try is ended, and
   * work that would wait longer than the queue's budget is handed over.
   */
  budgetMs?: number | undefined
  json: boolean
  /** Runs the work with this process's options. */
  run: (options: RunNowOptions) => Promise<RunResult>
  /** Prints the result of a success. */
  printDone: (ran: RanNow) => void
}

/** Runs work in this process, prints its end, and returns the exit code. */
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
        `mulligan ${command}: ${(release.reason as Error).message}; ${operationId} returned to the queue without using a retry\n`,
      )
    if (json) printJson(terminal, handedOverToJson(result))
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

/** Ctrl-C cancels the work; other signals only return it to the queue. */
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
  if (json) printJson(terminal, failedToJson(operation, failure))
  else terminal.stderr(`mulligan ${command}: ${message}\n`)
  if (operation.deadAs === 'cancelled') return EXIT.aborted
  return failure ? exitCodeOf(failure as Failure) : EXIT.permanent
}
