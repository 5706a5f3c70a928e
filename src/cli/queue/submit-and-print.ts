import { standingInWords } from '../../daemon/words/operation-words.ts'
import type { Inserted } from '../../ledger/ledger.ts'
import type { Operation } from '../../ledger/operation.ts'
import { isQueueError } from '../../queue/error.ts'
import { operationToJson } from '../../queue/operation-json.ts'
import { EXIT } from '../exit-code.ts'
import { UsageError } from '../flag/arguments.ts'
import { printJson } from '../print/print-json.ts'
import type { QueueRuntime } from '../runtime/queue-runtime.ts'
import type { Terminal } from '../terminal.ts'
import {
  awaitOperation,
  backgroundOf,
  printEnded,
  warnWhilePaused,
  warnWithoutRunner,
} from './await-operation.ts'

/**
 * Submits, and prints the id, or with `wait` the outcome. Parameters that the queue refuses are a usage error.
 */
export async function submitAndPrint(
  runtime: QueueRuntime,
  submit: () => Promise<Inserted>,
  { wait, json }: { wait?: boolean | undefined; json?: boolean | undefined },
  terminal: Terminal,
): Promise<number> {
  const { id, created } = await submit().catch((error: unknown) => {
    throw isQueueError(error) && error.code === 'invalid_params' ? new UsageError(error.message) : error
  })
  const operation = (await runtime.ledger.get(id)) as Operation
  const hasRunner = await warnWithoutRunner(runtime, operation, terminal)
  await warnWhilePaused(runtime, operation, terminal)
  if (wait) {
    const ended = await awaitOperation(runtime, id, terminal)
    return ended ? printEnded(runtime, ended, json === true, terminal) : EXIT.aborted
  }
  const background = backgroundOf(runtime, operation)
  if (json) {
    const submitted = { ...operationToJson(operation, background), created, has_runner: hasRunner }
    printJson(terminal, submitted)
  } else {
    terminal.stdout(`${id}\n`)
    const known = created ? '' : 'already exists: '
    terminal.stderr(`${id} ${known}${standingInWords(operation, background, terminal.now())}\n`)
  }
  return EXIT.done
}
