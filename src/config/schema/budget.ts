import type { z } from 'zod'
import { table } from './table.ts'
import { amount, timeZone } from './value.ts'

/** `[budget]` */
export const budget = table({
  day_usd: amount('US dollars per day over all providers. Default: no ceiling.', 'US dollars').optional(),
  month_usd: amount(
    'US dollars per calendar month over all providers. Default: no ceiling.',
    'US dollars',
  ).optional(),
  time_zone: timeZone('Time zone of days and months.').prefault('UTC'),
})
/** `[budget]` with defaults filled in and durations in milliseconds. */
export type BudgetConfig = z.output<typeof budget>
