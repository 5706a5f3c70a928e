import { z } from 'zod'
import { jsonWriter } from '../shape/json-writer.ts'

/** What tries used and cost together, with what they were summed by. */
export const spend = z.object({
  client: z.string().exactOptional().describe('The program that asked; empty if it is not known.'),
  session: z.string().exactOptional().describe('Its conversation; empty if it names none.'),
  provider: z.string().exactOptional(),
  model: z.string().exactOptional(),
  tries: z.number().describe('Tries that used something.'),
  failed: z.number().describe('Those of them that failed, and were paid for all the same.'),
  unpriced: z.number().describe('Those of them whose price nobody knew: `usd` is without them.'),
  usd: z.number(),
  usage: z.object({
    input_tokens: z.number().describe('Those from a cache included.'),
    output_tokens: z.number(),
    cached_tokens: z.number(),
    cache_write_tokens: z.number(),
  }),
})

export const spendToJson = jsonWriter(spend)
