import { toString as inWords } from 'cronstrue'

/** What the library says besides, where the shorter form leaves out the days altogether. */
const OBVIOUS = /(?:, every minute)?, every hour, every day$/

/** Whether the viewer's clock has 24 hours, as all other times on the page are written. */
const HAS_24_HOURS = new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions().hour12 !== true

/** A cron expression in words: `At 03:00, Monday through Friday`. Undefined for one that only the daemon understands. */
export function cronInWords(cron: string, has24Hours = HAS_24_HOURS): string | undefined {
  try {
    return inWords(cron, { use24HourTimeFormat: has24Hours, verbose: true }).replace(OBVIOUS, '')
  } catch {
    return undefined
  }
}
