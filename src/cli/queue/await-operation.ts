import { standingInWords } from '../../daemon/words/operation-words.ts'
import type { Failure } from '../../failure/failure.ts'
import {
  isEnded,
  type Operation,
  type ParkedOperation,
  type ScheduledOperation,
} from '../../ledger/operation.ts'
import { shellWord } from '../../option/shell-word.ts'
import { operationToJson, standingReason } from '../../queue/operation-json.ts'
import type { EndedOperation } from '../../queue/operation-waiters.ts'
import { EXIT, exitCodeOf } from '../exit-code.ts'
import { printAnswer } from '../print/print-answer.ts'
import { printJson } from '../print/print-json.ts'
import type { QueueRuntime } from '../runtime/queue-runtime.ts'
import type { Terminal } from '../terminal.ts'

/** The capability and the retry limit of an operation, for printing it. */
export function backgroundOf({ loaded, queue }: QueueRuntime, { capability }: Pick<Operation, 'capability'>) {
  return { capability: queue.registry.get(capability), maxRetries: loaded.config.queue.maxRetries }
}

/**
 * Waits for an operation to end on any runner, which may take days, and reports on stderr what it is waiting for.
 * Returns undefined if the user stopped waiting; the operation continues.
 */
export async function awaitOperation(
  runtime: QueueRuntime,
  id: string,
  terminal: Terminal,
): Promise<EndedOperation | undefined> {
  const stopReporting = reportWaits(runtime, id, terminal)
  try {
    return await runtime.queue.wait(id, { signal: terminal.signal })
  } catch (error) {
    if (!terminal.signal.aborted) throw error
    terminal.stderr(`mulligan: stopped waiting for ${id}; it continues\n`)
    return undefined
  } finally {
    stopReporting()
  }
}

/** Reports each time the operation has to wait, until when or for what. */
function reportWaits(runtime: QueueRuntime, id: string, terminal: Terminal): () => void {
  const { ledger } = runtime
  let told = 0
  let isOver = false
  const look = async () => {
    const operation = await ledger.get(id)
    if (isOver || operation === undefined || !isWaiting(operation)) return
    const since = operation.state === 'parked' ? operation.parkedAt : operation.dueAt
    if (since === told) return
    told = since
    const words = standingInWords(operation, backgroundOf(runtime, operation), terminal.now())
    const reason = standingReason(operation)
    terminal.stderr(`mulligan: ${id} ${words}${reason === undefined ? '' : `: ${reason}`}\n`)
  }
  // A read error fails the wait itself, which reports it.
  const ask = () => void look().catch(() => {})
  const stopListening = ledger.onChange(ask)
  ask()
  return () => {
    isOver = true
    stopListening()
  }
}

/** An operation that has not started yet just waits its turn: nothing to report. */
function isWaiting(operation: Operation): operation is ScheduledOperation | ParkedOperation {
  return operation.state === 'parked' || (operation.state === 'scheduled' && operation.run > 0)
}

/** Prints the end of an operation, and returns the exit code. */
export async function printEnded(
  runtime: QueueRuntime,
  operation: EndedOperation,
  json: boolean,
  terminal: Terminal,
): Promise<number> {
  const code = await exitCodeOfEnded(runtime, operation)
  if (json) {
    printJson(terminal, operationToJson(operation, backgroundOf(runtime, operation)))
    return code
  }
  if (operation.state === 'dead') {
    const { id, deadAs, reason, failure } = operation
    terminal.stderr(
      `mulligan: ${id} is dead (${deadAs})${failure ? `: ${failure.class}/${failure.kind}: ${failure.message}` : ''}${reason ? `; ${reason}` : ''}\n`,
    )
    return code
  }
  const result = await runtime.queue.result(operation.id)
  if (result.state === 'succeeded' && result.value !== undefined && result.value !== null)
    printAnswer(terminal, resultText(result.value))
  return code
}

/** An agent's answer as text; any other result as JSON. */
export function resultText(value: unknown): string {
  if (typeof value === 'string') return value.replace(/\n$/, '')
  const { text, session_id } = value as { text?: unknown; session_id?: unknown }
  return typeof text === 'string' && session_id !== undefined ? text : JSON.stringify(value)
}

async function exitCodeOfEnded({ ledger }: QueueRuntime, operation: EndedOperation): Promise<number> {
  if (operation.state === 'succeeded') return EXIT.done
  if (operation.deadAs === 'cancelled') return EXIT.aborted
  const failure = (await ledger.attempts(operation.id)).findLast(attempt => attempt.failure)?.failure
  return failure ? exitCodeOf(failure as Failure) : EXIT.permanent
}

/** Warns if no live runner has the capability, because the operation then waits. */
export async function warnWithoutRunner(
  { queue, ledger }: QueueRuntime,
  operation: Operation,
  terminal: Terminal,
): Promise<boolean> {
  if (isEnded(operation) || (await queue.hasRunner(operation.capability))) return true
  const runners = await ledger.runners()
  terminal.stderr(
    runners.length === 0
      ? 'mulligan: no runner is alive, so it waits; start one: mulligan serve\n'
      : `mulligan: no live runner has ${JSON.stringify(operation.capability)}, so it waits for one\n`,
  )
  return false
}

/** Warns if the queue or the capability is paused, because the operation then waits. */
export async function warnWhilePaused(
  { queue }: QueueRuntime,
  operation: Operation,
  terminal: Terminal,
): Promise<void> {
  if (isEnded(operation) || operation.state === 'running') return
  const pauses = await queue.engine.pauses()
  const { capability } = operation
  if (pauses.queue)
    terminal.stderr('mulligan: the queue is paused, so it waits; to resume: mulligan queue resume\n')
  else if (pauses.capabilities.includes(capability))
    terminal.stderr(
      `mulligan: capability ${capability} is paused, so it waits; to resume: mulligan queue resume ${shellWord(capability)}\n`,
    )
}
