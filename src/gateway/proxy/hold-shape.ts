import { z } from 'zod'
import { jsonWriter } from '../../shape/json-writer.ts'
import { moment } from '../../shape/value.ts'

/** A question that waits in the proxy. */
export const hold = z.object({
  id: z.string(),
  api: z.string(),
  client: z.string().describe('The program that asks, by its User-Agent.'),
  model: z.string().nullable(),
  provider: z.string().nullable().describe('Who refused it last.'),
  since: moment,
  until: moment.nullable().describe('When the provider should serve again, if it said so.'),
  reason: z.string(),
})
export type HoldJson = z.output<typeof hold>

export const holdToJson = jsonWriter(hold)
