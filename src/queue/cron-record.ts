import type { Ledger } from '../ledger/ledger.ts'

/** What a schedule did last. In the ledger, so that a restart knows what it missed. */
export interface CronRecord {
  /** The time that was handled, or since when the schedule is handled; epoch milliseconds. */
  at: number
  /** `begun`: new, or switched on again; `off`: switched off; `missed`, `overlapped` and `refused`: this time was skipped. */
  did: 'begun' | 'submitted' | 'missed' | 'overlapped' | 'refused' | 'off'
  /** Id of the last submitted operation. */
  operation?: string
}

/** The record of a schedule; undefined if it never ran. */
export async function readCronRecord(ledger: Ledger, schedule: string): Promise<CronRecord | undefined> {
  const memory = await ledger.setting(settingOf(schedule))
  return typeof memory === 'object' && memory !== null && 'at' in memory ? (memory as CronRecord) : undefined
}

/** Stores the record for the next reader, in any process. */
export function writeCronRecord(ledger: Ledger, schedule: string, memory: CronRecord): Promise<void> {
  return ledger.setSetting(settingOf(schedule), memory)
}

function settingOf(schedule: string): string {
  return `cron.${schedule}`
}
