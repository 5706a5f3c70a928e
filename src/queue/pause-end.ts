import type { Ledger } from '../ledger/ledger.ts'
import { timeToJson } from '../time/time-json.ts'
import type { Queue } from './queue.ts'

const settingOf = (provider: string) => `pause_end:${provider}`

/** Stores when the pause of a provider ends, epoch milliseconds. Undefined: when a person resumes it. */
export function setPauseEnd(
  ledger: Pick<Ledger, 'setSetting'>,
  provider: string,
  until: number | undefined,
): Promise<void> {
  return ledger.setSetting(settingOf(provider), until)
}

/** Why a provider is paused, with the end of the pause if it has one. */
export function pauseReason(reason: string | undefined, until: number | undefined): string | undefined {
  if (until === undefined) return reason
  const end = `until ${timeToJson(until)}`
  return reason === undefined ? end : `${reason} (${end})`
}

/** Resumes those of these providers whose pause is over, and returns their names. */
export async function endPauses(
  queue: Pick<Queue, 'resume' | 'ledger'>,
  providers: readonly string[],
  now: number,
): Promise<string[]> {
  const over: string[] = []
  for (const provider of providers) {
    const until = await queue.ledger.setting(settingOf(provider))
    if (typeof until !== 'number' || until > now) continue
    await queue.resume({ provider })
    over.push(provider)
  }
  return over
}
