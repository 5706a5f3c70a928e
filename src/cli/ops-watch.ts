import type { LedgerEvent } from '../ledger/event.ts'
import { isEnded } from '../ledger/operation.ts'
import { eventToJson } from '../queue/operation-json.ts'
import { UsageError } from './arguments.ts'
import { awaitOperation, printEnded, warnWhilePaused, warnWithoutRunner } from './await-operation.ts'
import { EXIT } from './exit-code.ts'
import type { Terminal } from './main.ts'
import { eventInWords } from './operation-words.ts'
import { found } from './ops-show.ts'
import type { QueueRuntime } from './queue-runtime.ts'
import { onlyArgument } from './subcommand.ts'

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
    if (json) terminal.stdout(`${JSON.stringify(eventToJson(event))}\n`)
    else if (words !== undefined)
      terminal.stdout(
        `${new Date(event.at).toISOString().replace(/\.\d+Z$/, 'Z')}  ${event.operation ?? ''}${event.operation === undefined ? '' : '  '}${words}\n`,
      )
  }
  const past = id === undefined ? [] : await ledger.timeline((await found(runtime, id)).id)
  for (const event of past) print(event)
  let cursor = past.at(-1)?.id ?? (await ledger.lastEvent())
  /** Prints new events; true once no more can come. */
  const look = async (): Promise<boolean> => {
    for (let events: readonly LedgerEvent[]; ; ) {
      events = await ledger.events({ after: cursor })
      for (const event of events) {
        cursor = event.id
        if (id === undefined || event.operation === id) print(event)
      }
      if (events.length === 0) break
    }
    if (id === undefined) return false
    const operation = await ledger.get(id)
    return operation === undefined || isEnded(operation)
  }
  await untilTrue(look, listener => ledger.onChange(listener), terminal.signal)
  return EXIT.done
}

/** Asks after every change, one at a time, until the answer is true or the user interrupts. */
function untilTrue(
  ask: () => Promise<boolean>,
  onChange: (listener: () => void) => () => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let isAsking = false
    let isAgain = false
    const end = (settle: () => void) => {
      stop()
      signal.removeEventListener('abort', onAbort)
      settle()
    }
    const onAbort = () => end(resolve)
    const next = () => {
      isAgain = true
      if (isAsking) return
      isAsking = true
      void (async () => {
        while (isAgain) {
          isAgain = false
          if (await ask()) return end(resolve)
        }
        isAsking = false
      })().catch((error: unknown) => end(() => reject(error)))
    }
    const stop = onChange(next)
    if (signal.aborted) onAbort()
    else {
      signal.addEventListener('abort', onAbort, { once: true })
      next()
    }
  })
}
