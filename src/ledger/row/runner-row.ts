import type { RunnerRecord } from '../runner-record.ts'

/** A row of the runners table. */
export interface RunnerRow {
  id: string
  capabilities: string
  label: string | null
  started_at: number
  seen_at: number
}

/** Converts a row to a runner. */
export function toRunner({ id, capabilities, label, started_at, seen_at }: RunnerRow): RunnerRecord {
  return {
    id,
    capabilities: JSON.parse(capabilities) as string[],
    ...(label === null ? {} : { label }),
    startedAt: started_at,
    seenAt: seen_at,
  }
}
