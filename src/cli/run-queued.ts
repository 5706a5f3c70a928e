import { randomUUID } from 'node:crypto'
import type { AgentSettings } from '../agent/index.ts'
import {
  type AgentResult,
  PROMPT_CAPABILITY,
  type PromptParams,
  REPEATABLE_PROMPT_CAPABILITY,
} from '../capability/index.ts'
import type { Failure } from '../failure/index.ts'
import { failureToJson } from '../failure/index.ts'
import type { Attempt, LedgerEvent, Operation } from '../ledger/index.ts'
import { isHandedOver, isOperationFailed, type OperationFailed } from '../queue/index.ts'
import { inWords } from '../verdict/index.ts'
import { warnWithoutRunner } from './ended.ts'
import { EXIT, exitCodeOf } from './exit-code.ts'
import type { Terminal } from './main.ts'
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
  const command = randomUUID()
  const stopTelling = await tellTries(runtime, command, terminal)
  try {
    const result = await queue.run(repeatable ? REPEATABLE_PROMPT_CAPABILITY : PROMPT_CAPABILITY, params, {
      providers: agents.map(({ id }) => id),
      budgetMs,
      signal: terminal.signal,
      context: { command },
    })
    await stopTelling()
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
    await stopTelling()
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

/** Says each failed try of this process as it ends. Returns what says the last ones and stops. */
async function tellTries(
  { ledger }: QueueRuntime,
  command: string,
  terminal: Terminal,
): Promise<() => Promise<void>> {
  let cursor = await ledger.lastEvent()
  let told: Promise<void> = Promise.resolve()
  const look = () => {
    told = told.then(async () => {
      const events: readonly LedgerEvent[] = await ledger.events({ after: cursor })
      for (const { id, operation, data } of events) {
        cursor = id
        if (operation === undefined || typeof data?.attempt !== 'number') continue
        const { context } = (await ledger.get(operation)) ?? {}
        if ((context as { command?: unknown } | undefined)?.command !== command) continue
        const attempt = (await ledger.attempts(operation)).find(({ number }) => number === data.attempt)
        if (attempt?.failure) terminal.stderr(`${tryInWords(attempt)}\n`)
      }
    })
    return told
  }
  const stop = ledger.onChange(() => void look())
  return async () => {
    stop()
    await look()
  }
}

function tryInWords({ number, provider, failure, startedAt, endedAt, verdict }: Attempt): string {
  const { class: cls, kind, message } = failure as Failure
  const next = verdict ? `; ${verdict.reason}` : ''
  return `try ${number}${provider === undefined ? '' : ` by ${provider}`} failed after ${inWords(endedAt - startedAt)}: ${cls}/${kind}: ${message}${next}`
}

function print(terminal: Terminal, value: unknown): void {
  terminal.stdout(`${JSON.stringify(value)}\n`)
}
