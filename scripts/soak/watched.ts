import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What one look at a process found. */
export interface Look {
  rssMb: number
  handles: number
}

/** Memory and open handles of a process; undefined if it has ended. */
export function lookAt(pid: number | undefined): Look | undefined {
  try {
    const found = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return { rssMb: Number(found?.[1]) / 1_024, handles: readdirSync(`/proc/${pid}/fd`).length }
  } catch {
    return undefined
  }
}

/** The size of the ledger, in megabytes. */
export function ledgerMb(folder: string): number {
  const bytes = readdirSync(folder)
    .filter(name => name.startsWith('ledger.db'))
    .map(name => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
  return bytes.reduce((sum, size) => sum + size, 0) / 1_048_576
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** How much a figure grew: the median of its last quarter beside that of its second. The first is warming up. */
export function growth(values: readonly number[]): { before: number; after: number } {
  const quarter = Math.ceil(values.length / 4)
  return {
    before: quantile(values.slice(quarter, 2 * quarter), 0.5),
    after: quantile(values.slice(-quarter), 0.5),
  }
}
