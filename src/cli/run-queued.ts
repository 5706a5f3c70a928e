import type { AgentSettings } from '../agent/index.ts'
import {
  type AgentResult,
  PROMPT_CAPABILITY,
  type PromptParams,
  REPEATABLE_PROMPT_CAPABILITY,
} from '../capability/index.ts'
import type { Failure } from '../failure/index.ts'
import { failureToJson } from '../failure/index.ts'
import type { Operation } from '../ledger/index.ts'
import { isHandedOver, isOperationFailed, type OperationFailed } from '../queue/index.ts'
import { warnWithoutRunner } from './ended.ts'
import { EXIT, exitCodeOf } from './exit-code.ts'
import type { Terminal } from './main.ts'
import { Progress } from './progress.ts'
import { timeOf } from './provider-json.ts'
import type { QueueRuntime } from './queue-runtime.ts'

/** A prompt that may wait. */
export interface QueuedPrompt extends PromptParams {
  agents: readonly AgentSettings[]
  /** Running it twice does no harm. */
  repeatable: boolean
  /** For tries in this process, in milliseconds. */
  budgetMs: number
}

/**
 * Runs a prompt now, and hands it over to a runner if it cannot be answered yet. It is written down before the first
 * try, so that it survives this process too.
 */
export async function runQueued(
  { agents, repeatable, budgetMs, ...params }: QueuedPrompt,
  runtime: QueueRuntime,
  json: boolean,
  terminal: Terminal,
): Promise<number> {
  const { queue, ledger } = runtime
  const progress = new Progress(terminal, { budgetMs, isLive: terminal.stderrIsTerminal === true })
  try {
    const running = queue.run(repeatable ? REPEATABLE_PROMPT_CAPABILITY : PROMPT_CAPABILITY, params, {
      providers: agents.map(({ id }) => id),
      budgetMs,
      signal: terminal.signal,
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
    const { operationId, retryAt, parkedFor, retryHint } = result
    await warnWithoutRunner(runtime, (await ledger.get(operationId)) as Operation, terminal)
    if (json)
      print(terminal, {
        ok: false,
        queued_for_retry: true,
        operation_id: operationId,
        ...(retryAt === undefined ? {} : { retry_at: timeOf(retryAt) }),
        ...(parkedFor === undefined ? {} : { parked_for: parkedFor }),
        retry_hint: retryHint,
      })
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

async function printFailed(
  { operation, message }: OperationFailed,
  { ledger }: QueueRuntime,
  json: boolean,
  terminal: Terminal,
): Promise<number> {
  const failure = (await ledger.attempts(operation.id)).findLast(attempt => attempt.failure)?.failure
  if (json)
    print(terminal, {
      ok: false,
      operation_id: operation.id,
      dead_as: operation.deadAs,
      reason: operation.reason,
      ...(failure ? { failure: failureToJson(failure) } : {}),
    })
  else terminal.stderr(`mulligan run: ${message}\n`)
  if (operation.deadAs === 'cancelled') return EXIT.aborted
  return failure ? exitCodeOf(failure as Failure) : EXIT.permanent
}

function print(terminal: Terminal, value: unknown): void {
  terminal.stdout(`${JSON.stringify(value)}\n`)
}
