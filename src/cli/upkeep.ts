import { readdir } from 'node:fs/promises'
import { removeResults } from '../capability/index.ts'
import type { Config } from '../config/index.ts'
import type { Ledger, Pruned, PrunePolicy } from '../ledger/index.ts'

/** When history is forgotten, as the config says. */
export function prunePolicy({ queue }: Config): PrunePolicy {
  return { succeededAfterMs: queue.prune.succeededMs, deadAfterMs: queue.prune.deadMs }
}

/** Forgets old operations, and the files of results that nobody refers to any more. */
export async function tidy(
  ledger: Ledger,
  resultFolder: string,
  policy: PrunePolicy,
  signal: AbortSignal,
): Promise<Pruned & { files: number }> {
  const pruned = await ledger.prune(policy, signal)
  return { ...pruned, files: await removeOrphans(ledger, resultFolder, signal) }
}

async function removeOrphans(ledger: Ledger, folder: string, signal: AbortSignal): Promise<number> {
  const files = await readdir(folder).catch(() => [])
  const ids = new Set(files.flatMap(file => /^(op_\w+)\.\d+\.json$/.exec(file)?.[1] ?? []))
  const gone: string[] = []
  for (const id of ids) {
    if (signal.aborted) break
    if (!(await ledger.get(id))) gone.push(id)
  }
  return gone.length > 0 ? removeResults(folder, gone) : 0
}
