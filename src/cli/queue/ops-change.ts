import { Secrets } from '../../capability/secret/secrets.ts'
import { standingInWords } from '../../daemon/words/operation-words.ts'
import { present } from '../../failure/present.ts'
import { withoutDeliveries } from '../../ledger/filter.ts'
import { previewToJson } from '../../queue/bulk-json.ts'
import type { BulkAction, BulkDone, BulkOutcome, BulkPreview } from '../../queue/bulk-outcome.ts'
import { isMayRepeat, isQueueError, MayRepeat } from '../../queue/error.ts'
import { operationToJson } from '../../queue/operation-json.ts'
import { UsageError } from '../flag/arguments.ts'
import { dueFlag, integerFlag } from '../flag/flags.ts'
import { jsonOrText } from '../flag/json-or-text.ts'
import { type ParamsFlags, paramsOf } from '../flag/params.ts'
import { onlyArgument } from '../flag/subcommand.ts'
import { printJson } from '../print/print-json.ts'
import type { QueueRuntime } from '../runtime/queue-runtime.ts'
import type { Terminal } from '../terminal.ts'
import { backgroundOf } from './await-operation.ts'
import { type FilterFlags, filterOf } from './ops-filter.ts'
import { found } from './ops-show.ts'

/** Flags of `ops retry`, `ops cancel` and `ops discard`. */
export interface ChangeFlags extends FilterFlags {
  /** Apply the change instead of only showing it. Default false. */
  yes?: boolean | undefined
  /** Also run again what may then happen twice. Default false. */
  'may-repeat'?: boolean | undefined
  json?: boolean | undefined
}

const OUTCOMES: Record<BulkOutcome, string> = {
  cancelled: 'cancelled',
  requested: 'cancel requested, with everything it started',
  revived: 'runs again',
  unparked: 'continues',
  hastened: 'due at once',
  discarded: 'deleted, with its history',
  none: 'left alone',
}

/** Retries, cancels or discards the named operations, or those that a filter matches, after a preview. */
export function changing(action: BulkAction) {
  return async (
    runtime: QueueRuntime,
    ids: readonly string[],
    flags: ChangeFlags,
    terminal: Terminal,
  ): Promise<number> => {
    const filter = filterOf(flags, terminal.now())
    if (ids.length > 0 && filter)
      throw new UsageError(`ops ${action} takes ids or a filter such as --state dead, not both`)
    if (ids.length === 0 && !filter)
      throw new UsageError(`ops ${action} needs an ID, or a filter such as --state dead`)
    for (const id of ids) await found(runtime, id)
    const preview = await runtime.queue.preview(action, filter ? withoutDeliveries(filter) : { ids })
    if (filter && flags.yes !== true) {
      if (flags.json) printJson(terminal, { ...previewToJson(preview), done: false })
      else terminal.stdout(previewInWords(preview))
      return 0
    }
    const mayRepeat = flags['may-repeat'] === true || (await acceptsRepeats(preview, terminal))
    const done = await runtime.queue.apply(preview, { mayRepeat })
    if (!mayRepeat)
      for (const { id, needsPerson } of doubtsOf(preview))
        terminal.stderr(
          `mulligan ops: ${id} may happen twice: ${needsPerson}; it is left alone. Check whether it happened; to run it again all the same: --may-repeat\n`,
        )
    if (flags.json) printJson(terminal, { ...previewToJson(preview), done: true, ...done })
    else terminal.stdout(doneInWords(preview, done))
    const wasRefused = preview.moves.some(({ outcome }) => outcome === 'none')
    return !filter && (wasRefused || done.left.length > 0) ? 1 : 0
  }
}

/** Asks a person at a terminal; without one, only the flag accepts it. */
async function acceptsRepeats(preview: BulkPreview, { ask }: Terminal): Promise<boolean> {
  const doubts = doubtsOf(preview)
  if (doubts.length === 0 || !ask) return false
  const list = doubts.map(({ id, capability, needsPerson }) => `${id} ${capability}: ${needsPerson}\n`)
  const answer = await ask(`This may happen twice:\n${list.join('')}Run again all the same? [y/N] `)
  return /^y(es)?$/i.test(answer.trim())
}

/** What may then happen twice. */
function doubtsOf({ moves }: BulkPreview): BulkPreview['moves'] {
  return moves.filter(({ outcome, needsPerson }) => outcome !== 'none' && needsPerson !== undefined)
}

function previewInWords({ moves }: BulkPreview): string {
  if (moves.length === 0) return 'No operations match.\n'
  const lines = moves.map(
    ({ id, capability, state, outcome, needsPerson }) =>
      `${id}  ${capability}  ${state}: ${OUTCOMES[outcome]}${needsPerson === undefined ? '' : `; ${needsPerson}`}\n`,
  )
  const isIdle = moves.every(({ outcome }) => outcome === 'none')
  return `${lines.join('')}${isIdle ? 'Nothing to do.' : 'Nothing changed yet; to apply: --yes'}\n`
}

function doneInWords({ action, moves }: BulkPreview, { left }: BulkDone): string {
  if (moves.length === 0) return 'No operations match.\n'
  return moves
    .map(({ id, state, outcome, needsPerson }) => {
      if (left.includes(id) && needsPerson !== undefined) return `${id}: skipped: it may happen twice\n`
      if (left.includes(id)) return `${id}: skipped: it changed meanwhile, or is the newest operation\n`
      return outcome === 'none'
        ? `${id}: is ${state}, so ${action} does nothing${action === 'discard' ? '; cancel it first' : ''}\n`
        : `${id}: ${OUTCOMES[outcome]}\n`
    })
    .join('')
}

/** Flags of `ops edit`. */
export interface EditFlags extends ParamsFlags {
  at?: string | undefined
  priority?: string | undefined
  revive?: boolean | undefined
  'may-repeat'?: boolean | undefined
  json?: boolean | undefined
}

/** Changes a waiting or parked operation, or revives a dead one. Parameters that are not given stay unchanged. */
export async function edit(
  runtime: QueueRuntime,
  ids: readonly string[],
  flags: EditFlags,
  terminal: Terminal,
): Promise<number> {
  const { queue } = runtime
  const operation = await found(runtime, onlyArgument('ops edit', 'an operation ID', ids))
  const known = queue.registry.get(operation.capability)
  const read = await paramsOf(flags, known, terminal)
  const secrets = new Secrets({ folder: runtime.folder, env: terminal.env })
  const given = known
    ? read.params
    : (secrets.seal({ name: operation.capability, secrets: read.hidden }, read.params) as typeof read.params)
  const params = given && flags.params === undefined ? { ...(operation.params as object), ...given } : given
  const at = dueFlag('--at', flags.at, terminal.now())
  const priority = integerFlag('--priority', flags.priority, -10, 10)
  if (params === undefined && at === undefined && priority === undefined)
    throw new UsageError('nothing to change; use --param, --params, --at or --priority')
  try {
    await queue.edit(operation.id, {
      mayRepeat: flags['may-repeat'] === true,
      revive: flags.revive === true,
      ...(params === undefined ? {} : { params, unchecked: !known }),
      ...present({ at, priority }),
    })
  } catch (error) {
    if (isMayRepeat(error)) throw new UsageError(new MayRepeat(error.why, '--may-repeat').message)
    if (isQueueError(error)) throw new UsageError(error.message)
    throw error
  }
  const edited = await found(runtime, operation.id)
  const background = backgroundOf(runtime, edited)
  if (flags.json) printJson(terminal, operationToJson(edited, background))
  else terminal.stdout(`${edited.id}: ${standingInWords(edited, background, terminal.now())}\n`)
  return 0
}

/** Flags of `ops done`. */
export interface DoneFlags {
  result?: string | undefined
  reason?: string | undefined
  json?: boolean | undefined
}

/** Marks an operation as done, because a person saw that its work is done. */
export async function done(
  runtime: QueueRuntime,
  ids: readonly string[],
  { result, reason, json }: DoneFlags,
  terminal: Terminal,
): Promise<number> {
  const { id } = await found(runtime, onlyArgument('ops done', 'an operation ID', ids))
  try {
    await runtime.queue.markDone(id, {
      ...(result === undefined ? {} : { result: jsonOrText(result) }),
      ...present({ reason }),
    })
  } catch (error) {
    if (isQueueError(error)) throw new UsageError(error.message)
    throw error
  }
  const marked = await found(runtime, id)
  const background = backgroundOf(runtime, marked)
  if (json) printJson(terminal, operationToJson(marked, background))
  else terminal.stdout(`${id}: marked as done\n`)
  return 0
}
