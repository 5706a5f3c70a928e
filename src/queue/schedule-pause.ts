import type { Ledger } from '../ledger/ledger.ts'
import { withoutSecrets } from '../ledger/without-secrets.ts'
import { answerOf } from '../ledger/writing.ts'

/** That a person stopped a schedule. In the ledger, so that it holds in every process and after a restart. */
export interface SchedulePause {
  /** Since when, epoch milliseconds. */
  at: number
  /** Who paused it. */
  by?: string
  /** Why, if they said so. */
  reason?: string
}

/** The pause of a schedule; undefined if it is not paused. */
export async function schedulePause(ledger: Ledger, schedule: string): Promise<SchedulePause | undefined> {
  const stored = await ledger.setting(settingOf(schedule))
  return typeof stored === 'object' && stored !== null && 'at' in stored
    ? (stored as SchedulePause)
    : undefined
}

/** Pauses a schedule. One that is paused already stays so since then, because others rely on who did it and why. */
export async function pauseSchedule(ledger: Ledger, schedule: string, pause: SchedulePause): Promise<void> {
  if (await schedulePause(ledger, schedule)) return
  const { at, ...who } = withoutSecrets(pause)
  await ledger.transaction(function* (writes) {
    yield* answerOf(writes.setSetting(settingOf(schedule), { at, ...who }))
    yield* answerOf(writes.tell('paused', { schedule, ...who }))
  })
}

/** Ends the pause of a schedule, if there is one. */
export async function resumeSchedule(ledger: Ledger, schedule: string): Promise<void> {
  if (!(await schedulePause(ledger, schedule))) return
  await ledger.transaction(function* (writes) {
    yield* answerOf(writes.setSetting(settingOf(schedule), undefined))
    yield* answerOf(writes.tell('resumed', { schedule }))
  })
}

function settingOf(schedule: string): string {
  return `cron_pause.${schedule}`
}
