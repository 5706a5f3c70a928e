import type { z } from 'zod'
import { table } from './table.ts'
import { list, name } from './value.ts'

/** `[[pool]]` */
export const pool = table({
  id: name('Its name in calls and capabilities.'),
  providers: list(name('The id of a provider'), 'Providers that can serve the same call, preferred first.', {
    least: 1,
  }),
})
/** `[[pool]]` with defaults filled in and durations in milliseconds. */
export type PoolConfig = z.output<typeof pool>
