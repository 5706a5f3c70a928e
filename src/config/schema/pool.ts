import type { z } from 'zod'
import { table } from './table.ts'
import { list, name } from './value.ts'

/** `[[pool]]` */
export const pool = table({
  id: name('What calls and capabilities call it.'),
  providers: list(
    name('The id of a provider'),
    'Ids of providers that can serve the same call, the preferred one first.',
    {
      least: 1,
    },
  ),
})
/** `[[pool]]` as it is in force: defaults filled in, durations in milliseconds. */
export type PoolConfig = z.output<typeof pool>
