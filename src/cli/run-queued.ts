import type { AgentSettings } from '../agent/settings.ts'
import {
  PROMPT_CAPABILITY,
  type PromptParams,
  REPEATABLE_PROMPT_CAPABILITY,
} from '../capability/prompt-capability.ts'
import type { AgentResult } from '../capability/run-agent.ts'
import type { Failure } from '../failure/failure.ts'
import { isOperationFailed, type OperationFailed } from '../queue/error.ts'
import { failedToJson, handedOverToJson } from '../queue/hand-over-json.ts'
import { isHandedOver } from '../queue/run-result.ts'
import { EXIT, exitCodeOf } from './exit-code.ts'
import { Stopped, type Terminal } from './main.ts'
import { Progress } from './progress.ts'
import type { QueueRuntime } from './queue-runtime.ts'

/** A prompt that may wait. */
export interface QueuedPrompt extends PromptParams {
  agents: readonly AgentSettings[]
  /** Running it twice does no harm. */
  repeatable: boolean
  /** The session that wants to hear how it went. Default none. */
  session?: string
  /**
   * For tries and waits in this process, in milliseconds; at its end a try is cut. Default: no try is cut, and what would
   * wait longer than the budget of the queue is handed over.
   */
  budgetMs?: number
}

/**
 * Runs a prompt now, and hands it over to a runner if it cannot be answered yet. It is written down before the first
 * try, so that it survives this process too.
 */
export async function runQueued(
  { agents, repeatable, session, budgetMs = Infinity, ...params }: QueuedPrompt,
  runtime: QueueRuntime,
  json: boolean,
  terminal: Terminal,
): Promise<number> {
  const { queue, loaded } = runtime
  const { cancel, release } = signalsOf(terminal.signal)
  const progress = new Progress(terminal, { budgetMs, isLive: terminal.stderrIsTerminal === true })
  try {
    const running = queue.run(repeatable ? REPEATABLE_PROMPT_CAPABILITY : PROMPT_CAPABILITY, params, {
      providers: agents.map(({ id }) => id),
      budgetMs,
      ...(session === undefined ? {} : { session }),
      ...(budgetMs === Infinity ? { waitHereMs: loaded.config.queue.budgetMs } : {}),
      signal: cancel,
      release,
      onEvent: progress.onEvent,
      onSpent: ({ costUsd }) => progress.spent(costUsd),
    })
    const result = await running.finally(() => progress.stop())
    if (!isHandedOver(result)) {
      const answer = result.value as AgentResult
      if (json) print(terminal, { ok: true, operation_id: result.operationId, ...answer })
      else terminal.stdout(answer.text.endsWith('\n') ? answer.text : `${answer.text}\n`)
      return EXIT.done
    }
    const { operationId, retryHint } = result
    if (release.aborted)
      terminal.stderr(
        `mulligan run: ${(release.reason as Error).message}; ${operationId} went back to the queue, without using a retry\n`,
      )
    if (json) print(terminal, handedOverToJson(result))
    else {
      terminal.stdout(`${operationId}\n`)
      terminal.stderr(`${retryHint}\n`)
    }
    return EXIT.tryLater
  } catch (error) {
    if (!isOperationFailed(error)) throw error
    return printFailed(error, runtime, json, terminal)
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
  { ledger }: QueueRuntime,
  json: boolean,
  terminal: Terminal,
): Promise<number> {
  const failure = (await ledger.attempts(operation.id)).findLast(attempt => attempt.failure)?.failure
  if (json) print(terminal, failedToJson(operation, failure))
  else terminal.stderr(`mulligan run: ${message}\n`)
  if (operation.deadAs === 'cancelled') return EXIT.aborted
  return failure ? exitCodeOf(failure as Failure) : EXIT.permanent
}

function print(terminal: Terminal, value: unknown): void {
  terminal.stdout(`${JSON.stringify(value)}\n`)
}
