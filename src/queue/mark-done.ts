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

/** The number under which the result is stored: runs count from 1, so none of them loses its own. */
export const MARKED_RUN = 0

/** Ends a dead or parked operation as succeeded, because a person saw that its work is done. */
export async function markDone(
  deps: QueueDeps,
  id: string,
  { result, by = 'a person', reason }: MarkDoneOptions,
): Promise<void> {
  const { ledger, settings } = deps
  const { capability, state, source } = await existing(deps, id)
  if (source === 'workflow')
    throw new QueueError('cannot_edit', `${id} is a step of a workflow: supply the result of the step there`)
  if (engineOf(capability) !== undefined)
    throw new QueueError('cannot_edit', `${id} is a job of another engine: end it there`)
  const refused = () =>
    new QueueError('cannot_edit', `${id} is ${state}: only a dead or parked operation can be marked as done`)
  if (state !== 'dead' && state !== 'parked') throw refused()
  const stored = await storeResult(result, {
    operation: id,
    run: MARKED_RUN,
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
  if (!isDone) throw refused()
}
