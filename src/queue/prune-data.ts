import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isCut, nameOf, type ResultFile, removeFiles, resultFiles } from '../capability/result.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Operation } from '../ledger/operation.ts'
import type { Pruned, PrunePolicy } from '../ledger/upkeep.ts'
import { MARKED_RUN } from './mark-done.ts'
import type { QueueDeps } from './queue-deps.ts'

/** What was deleted. */
export interface PrunedData extends Pruned {
  /** Result files that were deleted. */
  files: number
  /** Bytes returned to the disk. */
  freedBytes: number
}

/** Deletes old operations and result files without an operation, and returns freed space to the disk. */
export async function pruneData(
  { ledger, settings }: Pick<QueueDeps, 'ledger' | 'settings'>,
  policy: PrunePolicy,
  signal?: AbortSignal,
): Promise<PrunedData> {
  const pruned = await ledger.prune(policy, signal)
  const { resultFolder } = settings
  if (resultFolder !== undefined) await takeIn(ledger, resultFolder, signal)
  const files = resultFolder === undefined ? 0 : await removeOrphans(ledger, resultFolder, signal)
  return { ...pruned, files, freedBytes: await ledger.giveBack({}, signal) }
}

/** Takes results that are files of this host into a ledger that keeps them, so that every host reads them. */
async function takeIn(ledger: Ledger, folder: string, signal?: AbortSignal): Promise<void> {
  const { results } = ledger
  if (results === undefined) return
  for (const file of await resultFiles(folder)) {
    signal?.throwIfAborted()
    const { name, operation, run, isDraft } = file
    if (isDraft || !(await isSettled(file, ledger))) continue
    const path = join(folder, name)
    if ((await stat(path)).size > results.mostBytes) continue
    // What the ledger has is what is read, also where a file was left by a marking that failed.
    if ((await results.kept(operation, run)) === undefined)
      await results.keep(operation, run, await readFile(path, 'utf8'))
    await removeFiles(folder, [file])
  }
}

async function removeOrphans(ledger: Ledger, folder: string, signal?: AbortSignal): Promise<number> {
  const orphans: ResultFile[] = []
  // Files first, then the ledger: files written in between are not in the list.
  for (const file of await resultFiles(folder)) {
    signal?.throwIfAborted()
    if (!(await isNeeded(file, ledger))) orphans.push(file)
  }
  return orphans.length > 0 ? removeFiles(folder, orphans) : 0
}

/** A file is written before its run is settled: until then, only the running run shows that it is needed. */
async function isNeeded({ name, operation: id, run }: ResultFile, ledger: Ledger): Promise<boolean> {
  const operation = await ledger.get(id)
  if (operation?.state === 'running') return operation.run === run
  // So is the one of a person, before its operation is marked.
  if (operation?.state === 'dead' || operation?.state === 'parked') return run === MARKED_RUN
  return operation !== undefined && isResultOf(operation, name)
}

/** Whether a file has the result that an operation ended with. */
async function isSettled({ name, operation: id }: ResultFile, ledger: Ledger): Promise<boolean> {
  const operation = await ledger.get(id)
  return operation !== undefined && isResultOf(operation, name)
}

function isResultOf(operation: Operation, name: string): boolean {
  return (
    operation.state === 'succeeded' && isCut(operation) && nameOf(operation.result, operation.id) === name
  )
}
