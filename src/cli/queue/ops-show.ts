import { hideSecrets } from '../../capability/secret/hide-secrets.ts'
import {
  operationInOneLine,
  standingInWords,
  timelineInWords,
  wayOnInWords,
} from '../../daemon/words/operation-words.ts'
import { present } from '../../failure/present.ts'
import { type Page, withoutDeliveries } from '../../ledger/filter.ts'
import type { Operation } from '../../ledger/operation.ts'
import { eventToJson, operationToJson, standingReason, triedToJson } from '../../queue/operation-json.ts'
import { UsageError } from '../flag/arguments.ts'
import { countFlag } from '../flag/flags.ts'
import { onlyArgument } from '../flag/subcommand.ts'
import { printJson } from '../print/print-json.ts'
import type { QueueRuntime } from '../runtime/queue-runtime.ts'
import { nothingYet } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'
import { backgroundOf } from './await-operation.ts'
import { type FilterFlags, filterOf } from './ops-filter.ts'

/** Operations per page. */
const DEFAULT_LIMIT = 50

/** Flags of `ops ls`. */
export interface ListFlags extends FilterFlags {
  limit?: string | undefined
  cursor?: string | undefined
  json?: boolean | undefined
}

/** A page of operations, newest first. */
export async function list(
  runtime: QueueRuntime,
  ids: readonly string[],
  flags: ListFlags,
  terminal: Terminal,
): Promise<number> {
  if (ids.length > 0)
    throw new UsageError(`ops ls takes no ${JSON.stringify(ids[0])}; to show one operation: ops show`)
  const limit = countFlag('--limit', flags.limit, 1)
  const { items, next } = await pageOf(runtime, flags, limit ?? DEFAULT_LIMIT, terminal.now())
  if (flags.json) {
    const operations = items.map(item => operationToJson(item, backgroundOf(runtime, item)))
    printJson(terminal, { operations, ...present({ next }) })
    return 0
  }
  const servesAt = await servingTimes(runtime, items)
  const lines = items.map(item =>
    operationInOneLine(item, backgroundOf(runtime, item), terminal.now(), servesAt(item)),
  )
  const none = runtime.isBegun ? 'No operations match.\n' : nothingYet(runtime.place)
  terminal.stdout(lines.length > 0 ? `${lines.join('\n')}\n` : none)
  if (next !== undefined) terminal.stderr(`More: --cursor ${next}\n`)
  return 0
}

/** When the providers that hold operations can serve, epoch milliseconds; nobody is asked if nothing is held. */
async function servingTimes(
  { health }: Pick<QueueRuntime, 'health'>,
  operations: readonly Operation[],
): Promise<(operation: Operation) => number | undefined> {
  const holderOf = (operation: Operation) => (operation.state === 'scheduled' ? operation.heldBy : undefined)
  const statuses = operations.some(each => holderOf(each) !== undefined) ? await health.status() : []
  const untils = new Map(statuses.map(({ id, until }) => [id, until]))
  return operation => untils.get(holderOf(operation) ?? '')
}

/** A page of operations. Deliveries to surfaces are listed by "mulligan notices ls". */
function pageOf(
  { ledger }: QueueRuntime,
  flags: ListFlags,
  limit: number,
  now: number,
): Promise<Page<Operation>> {
  const { cursor } = flags
  const filter = withoutDeliveries(filterOf(flags, now) ?? {})
  return ledger.list(filter, { limit, ...present({ cursor }) })
}

/** Everything about one operation: its state and its history. */
export async function show(
  runtime: QueueRuntime,
  ids: readonly string[],
  { json }: { json?: boolean | undefined },
  terminal: Terminal,
): Promise<number> {
  const { ledger } = runtime
  const operation = await found(runtime, onlyArgument('ops show', 'an operation ID', ids))
  const [attempts, timeline] = await Promise.all([
    ledger.attempts(operation.id),
    ledger.timeline(operation.id, { providers: true }),
  ])
  const background = backgroundOf(runtime, operation)
  if (json) {
    printJson(terminal, {
      ...operationToJson(operation, background),
      history: attempts.map(triedToJson),
      timeline: timeline.map(eventToJson),
    })
    return 0
  }
  const { id, capability, providers, key, costUsd, agentSession, folder } = operation
  const reason = standingReason(operation)
  const servesAt = (await servingTimes(runtime, [operation]))(operation)
  const lines = [
    `${id}  ${capability}  ${standingInWords(operation, background, terminal.now(), servesAt)}`,
    ...(reason === undefined ? [] : [`  because   ${reason}`]),
    ...(operation.state === 'parked' ? [`  continue  ${wayOnInWords(operation, attempts)}`] : []),
    `  params    ${JSON.stringify(hideSecrets(operation.params, background.capability))}`,
    ...(providers.length > 0 ? [`  providers ${providers.join(', ')}`] : []),
    ...(key === undefined ? [] : [`  key       ${key}`]),
    ...(costUsd > 0 ? [`  cost      $${costUsd.toFixed(2)}`] : []),
    ...(agentSession === undefined
      ? []
      : [`  session   ${agentSession}${folder === undefined ? '' : ` in ${folder}`}`]),
    ...(operation.state === 'succeeded' && operation.result !== undefined
      ? [`  result    ${JSON.stringify(hideSecrets(operation.result, background.capability))}`]
      : []),
    '',
    ...timelineInWords(timeline, attempts, operation),
  ]
  terminal.stdout(`${lines.join('\n')}\n`)
  return 0
}

/** The operation with this id. Throws a UsageError if it does not exist. */
export async function found({ ledger }: QueueRuntime, id: string): Promise<Operation> {
  const operation = await ledger.get(id)
  if (operation) return operation
  throw new UsageError(`no operation ${JSON.stringify(id)}; "mulligan ops ls" lists them`)
}
