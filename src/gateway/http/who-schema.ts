import { z } from 'zod'

/** Who changes a run, and why. */
export const who = {
  by: z.string().min(1).max(200).optional().describe('Who does it, for its history. Default "http".'),
  reason: z.string().min(1).max(2000).optional().describe('Why, for its history.'),
}

/** The author recorded if the request names none. */
export const DEFAULT_BY = 'http'

/** The same, as workflows record it. */
export function byOf({ by = DEFAULT_BY, reason }: { by?: string | undefined; reason?: string | undefined }): {
  by: string
  reason?: string
} {
  return { by, ...(reason === undefined ? {} : { reason }) }
}
