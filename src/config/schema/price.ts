import type { z } from 'zod'
import { table } from './table.ts'
import { amount, name } from './value.ts'

const USD = 'US dollars for a million tokens'

/** `[[price]]` */
export const price = table({
  model: name(
    'The model, as its answers name it, or `provider/model`. A date after the name does not matter.',
  ),
  input: amount('Of the question.', USD),
  output: amount('Of the answer.', USD),
  cached: amount('Of the part of the question that came from a cache. Default: as `input`.', USD).optional(),
  cache_write: amount('Of what is written to a cache. Default: as `input`.', USD).optional(),
})
/** `[[price]]` with defaults filled in and durations in milliseconds. */
export type PriceConfig = z.output<typeof price>
