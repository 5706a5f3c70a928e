import { table } from './table.ts'
import { list, name, plainText, whole } from './value.ts'

/** `[[providers]]`: the layout of an older system, accepted besides `[[provider]]`. */
export const olderProvider = table({
  id: name('Its name in pools, policies and reports.'),
  max_hour_cents: whole('Cap per hour, in US cents.').optional(),
  max_day_cents: whole('Cap per day, in US cents.').optional(),
  error_signatures: table({
    throttle: list(plainText('A pattern', 'a pattern'), 'As in `[[provider]]`.').prefault([]),
    flake: list(plainText('A pattern', 'a pattern'), 'As in `[[provider]]`.').prefault([]),
  })
    .describe('As in `[[provider]]`.')
    .prefault({}),
})
