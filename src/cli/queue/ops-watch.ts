import { eventInWords } from '../../daemon/words/operation-words.ts'
import type { LedgerEvent } from '../../ledger/event.ts'
import { eventStream } from '../../ledger/event-stream.ts'
import { isEnded } from '../../ledger/operation.ts'
import { eventToJson } from '../../queue/operation-json.ts'
import { timeToJson } from '../../time/time-json.ts'
import { EXIT } from '../exit-code.ts'
import { UsageError } from '../flag/arguments.ts'
import { onlyArgument } from '../flag/subcommand.ts'
import { printJson } from '../print/print-json.ts'
import type { QueueRuntime } from '../runtime/queue-runtime.ts'
import type { Terminal } from '../terminal.ts'
import { awaitOperation, printEnded, warnWhilePaused, warnWithoutRunner } from './await-operation.ts'
import { found } from './ops-show.ts'

/** Waits for one operation, and prints its result. */
export async function wait(
  runtime: QueueRuntime,
  ids: readonly string[],
  { json }: { json?: boolean | undefined },
  terminal: Terminal,
): Promise<number> {
  const operation = await found(runtime, onlyArgument('ops wait', 'an operation ID', ids))
  await warnWithoutRunner(runtime, operation, terminal)
  await warnWhilePaused(runtime, operation, terminal)
  const ended = await awaitOperation(runtime, operation.id, terminal)
  return ended ? printEnded(runtime, ended, json === true, terminal) : EXIT.aborted
}

/** Prints events as they happen: of one operation until it ends, or of all until interrupted. */
export async function watch(
  runtime: QueueRuntime,
  ids: readonly string[],
  { json }: { json?: boolean | undefined },
  terminal: Terminal,
): Promise<number> {
  const { ledger } = runtime
  const [id, ...rest] = ids
  if (rest.length > 0) throw new UsageError('ops watch takes one ID, or none to watch everything')
  const print = (event: LedgerEvent) => {
    const words = eventInWords(event)
    if (json) printJson(terminal, eventToJson(event))
    else if (words !== undefined)
      terminal.stdout(
        `${timeToJson(event.at).replace(/\.\d+Z$/, 'Z')}  ${event.operation ?? ''}${event.operation === undefined ? '' : '  '}${words}\n`,
      )
  }
  const isOver = async (operation: string) => {
    const now = await ledger.get(operation)
    return now === undefined || isEnded(now)
  }
  const past = id === undefined ? [] : await ledger.timeline((await found(runtime, id)).id)
  for (const event of past) print(event)
  const from = past.at(-1)?.id ?? 'now'
  if (id !== undefined && (await isOver(id))) {
    // It may have ended while the past was read.
    for (const event of (await ledger.timeline(id)).slice(past.length)) print(event)
    return EXIT.done
  }
  const { signal } = terminal
  for await (const events of eventStream({ ledger, time: ledger.time, from, signal })) {
    for (const event of events) if (id === undefined || event.operation === id) print(event)
    if (id !== undefined && (await isOver(id))) break
  }
  return EXIT.done
}
