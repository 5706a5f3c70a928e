import type { z } from 'zod'
import { FAILOVERS } from '../../verdict/circumstances.ts'
import { table } from './table.ts'
import { choice, list, map, name, whole } from './value.ts'

/** `[[pool]]` */
export const pool = table({
  id: name('Its name in calls and capabilities.'),
  providers: list(name('The id of a provider'), 'Providers that can serve the same call, preferred first.', {
    least: 1,
  }),
  models: map(name('A model'), 'The model to ask for at a provider, by the id of the provider.').optional(),
  failover: choice(
    FAILOVERS,
    'Another provider before or after retries. Default: as in `[policy]`.',
  ).optional(),
  routing: choice(
    ['order', 'cheapest'],
    'In which order they are asked: as listed, or the cheapest first by `[[price]]` and list prices. Default `"order"`.',
  ).optional(),
  weights: map(
    whole('A weight'),
    'Asked by chance instead: each is first as often as its weight among all; the others come after. A conversation stays where it was.',
  ).optional(),
})
/** `[[pool]]` with defaults filled in and durations in milliseconds. */
export type PoolConfig = z.output<typeof pool>
