import { storeResult } from '../capability/result.ts'
import { present } from '../failure/present.ts'
import { redact } from '../failure/redact.ts'
import { engineOf } from '../ledger/citizen.ts'
import { QueueError } from './error.ts'
import type { QueueDeps } from './queue-deps.ts'
import { existing } from './result.ts'

/** What a person says about an operation whose work is done. */
export interface MarkDoneOptions {
  /** What it returned, as JSON. Default nothing. */
  result?: unknown
  /** Who looked. Default `a person`. */
  by?: string
  /** How it is known, for its history. Default none. */
  reason?: string
}

/** Ends a dead or parked operation as succeeded, because a person saw that its work is done. */
export async function markDone(
  deps: QueueDeps,
  id: string,
  { result, by = 'a person', reason }: MarkDoneOptions,
): Promise<void> {
  const { ledger, settings } = deps
  const { capability, state, source, run } = await existing(deps, id)
  if (source === 'workflow')
    throw new QueueError('cannot_edit', `${id} is a step of a workflow: supply the result of the step there`)
  if (engineOf(capability) !== undefined)
    throw new QueueError('cannot_edit', `${id} is a job of another engine: end it there`)
  const stored = await storeResult(result, {
    operation: id,
    run,
    maxBytes: settings.maxResultBytes,
    ...present({
      limitBytes: settings.resultLimitBytes,
      folder: settings.resultFolder,
      store: ledger.results,
    }),
  })
  const said = reason === undefined ? undefined : redact(reason)
  const isDone = await ledger.transaction(writes =>
    writes.markDone(id, { ...stored, by, ...present({ reason: said }) }),
  )
  if (!isDone)
    throw new QueueError(
      'cannot_edit',
      `${id} is ${state}: only a dead or parked operation can be marked as done`,
    )
}
