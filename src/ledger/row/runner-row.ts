import type { RunnerRecord } from '../runner-record.ts'

/** A row of the table of runners. */
export interface RunnerRow {
  id: string
  capabilities: string
  label: string | null
  started_at: number
  seen_at: number
}

/** A row as the rest of the program knows it. */
export function toRunner({ id, capabilities, label, started_at, seen_at }: RunnerRow): RunnerRecord {
  return {
    id,
    capabilities: JSON.parse(capabilities) as string[],
    ...(label === null ? {} : { label }),
    startedAt: started_at,
    seenAt: seen_at,
  }
}
