import { z } from 'zod'
import { present } from '../../failure/present.ts'
import type { Caller } from './route.ts'

/** Who changes a run, and why. */
export const who = {
  by: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Who does it, for its history. Default "dashboard" from a signed-in browser, the name of a token, else "http".',
    ),
  reason: z.string().min(1).max(2000).optional().describe('Why, for its history.'),
}

/** The author recorded if the request names none. */
export function authorOf(caller: Caller | undefined): string {
  if (caller && !caller.isOwner && caller.name !== 'browser') return caller.name
  return caller?.browser ? 'dashboard' : 'http'
}

/** The author and the reason, as workflows record them. */
export function byOf(
  { by, reason }: { by?: string | undefined; reason?: string | undefined },
  caller: Caller | undefined,
): { by: string; reason?: string } {
  return { by: by ?? authorOf(caller), ...present({ reason }) }
}
