import type { Failure } from '../failure/index.ts'
import { isEnded, type Operation } from '../ledger/index.ts'
import type { EndedOperation } from '../queue/index.ts'
import { operationToJson } from '../queue/operation-json.ts'
import { EXIT, exitCodeOf } from './exit-code.ts'
import type { Terminal } from './main.ts'
import type { QueueRuntime } from './queue-runtime.ts'

/** What is known about an operation beside its record. */
export function backgroundOf({ loaded, queue }: QueueRuntime, { capability }: Pick<Operation, 'capability'>) {
  return { capability: queue.registry.get(capability), maxRetries: loaded.config.queue.maxRetries }
}

/** Waits for an operation to end, whoever runs it. Undefined if the user stopped waiting; the operation goes on. */
export async function awaited(
  { queue }: QueueRuntime,
  id: string,
  terminal: Terminal,
): Promise<EndedOperation | undefined> {
  try {
    return await queue.wait(id, { signal: terminal.signal })
  } catch (error) {
    if (!terminal.signal.aborted) throw error
    terminal.stderr(`mulligan: no longer waiting for ${id}, which goes on\n`)
    return undefined
  }
}

/** Prints how an operation ended, and gives the exit code. */
export async function printEnded(
  runtime: QueueRuntime,
  operation: EndedOperation,
  json: boolean,
  terminal: Terminal,
): Promise<number> {
  const code = await exitCodeOfEnded(runtime, operation)
  if (json) {
    terminal.stdout(`${JSON.stringify(operationToJson(operation, backgroundOf(runtime, operation)))}\n`)
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
    terminal.stdout(`${resultText(result.value)}\n`)
  return code
}

/** The answer of an agent reads as it is; everything else is JSON. */
function resultText(value: unknown): string {
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

/** Says that nobody is there to run it, if so: it waits then. */
export async function warnWithoutRunner(
  { queue, ledger }: QueueRuntime,
  operation: Operation,
  terminal: Terminal,
): Promise<boolean> {
  if (isEnded(operation) || (await queue.hasRunner(operation.capability))) return true
  const runners = await ledger.runners()
  terminal.stderr(
    runners.length === 0
      ? 'mulligan: no runner is alive, so it waits until one is: start one with "mulligan serve"\n'
      : `mulligan: no runner that is alive has ${JSON.stringify(operation.capability)}, so it waits until one has\n`,
  )
  return false
}
