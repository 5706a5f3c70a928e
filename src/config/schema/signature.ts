import type { z } from 'zod'
import { ALL_KINDS } from '../../failure/failure.ts'
import { LABEL_CLASSES } from '../../failure/label.ts'
import { table } from './table.ts'
import { choice, duration, fingerprint, name, plainText } from './value.ts'

/** `[[signature]]`, in a config and in a signature pack. */
export const signature = table({
  pattern: plainText(
    'Recognises the failure in its text. RE2 syntax, unanchored, case-insensitive.',
    'a pattern',
  ).optional(),
  fingerprint: fingerprint(
    'Recognises exactly the failures with this fingerprint, as `mulligan unknowns` and `mulligan explain` show it.',
  ).optional(),
  provider: name('Only failures of this provider. Default: of all.').optional(),
  class: choice(LABEL_CLASSES, 'What the failure is.'),
  kind: choice(
    ALL_KINDS,
    'What exactly it is. Default: what the catalogue says if it agrees on the class, otherwise the most general kind.',
  ).optional(),
  effect: choice(
    ['none', 'maybe'],
    'Whether the failed request may have done something. Default: what the catalogue says if it agrees on the class, otherwise `"maybe"`.',
  ).optional(),
  retry_after: duration(
    'How long to wait if the failure itself states no time. Only for `"throttle"` and `"transient"`.',
  ).optional(),
  why: plainText('Why, for people.').optional(),
  by: plainText('Who added it.').optional(),
  at: plainText('When it was added.').optional(),
})
/** `[[signature]]` with durations in milliseconds. */
export type SignatureConfig = z.output<typeof signature>
