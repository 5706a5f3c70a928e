import type { z } from 'zod'
import { table } from './table.ts'
import { list, plainText } from './value.ts'

/** `[redact]` */
export const redact = table({
  patterns: list(
    plainText('What a secret of yours looks like, in RE2 syntax. The whole match is hidden.', 'a pattern'),
    'Secrets of your own that have no known form, such as `"acme-[0-9]{12}"`.',
  ).prefault([]),
})
/** `[redact]` with defaults filled in. */
export type RedactConfig = z.output<typeof redact>
