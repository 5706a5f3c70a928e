import { toString as inWords } from 'cronstrue'

/** What the library says besides, where the shorter form leaves out the days altogether. */
const OBVIOUS = /(?:, every minute)?, every hour, every day$/

/** A cron expression in words: `At 03:00, Monday through Friday`. Undefined for one that only the daemon understands. */
export function cronInWords(cron: string): string | undefined {
  try {
    return inWords(cron, { use24HourTimeFormat: true, verbose: true }).replace(OBVIOUS, '')
  } catch {
    return undefined
  }
}
