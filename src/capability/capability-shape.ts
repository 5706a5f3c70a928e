import { z } from 'zod'
import { object } from '../shape/value.ts'

/** A capability. */
export const capabilityShape = z.object({
  name: z.string(),
  kind: z.string(),
  description: z.string().exactOptional(),
  retry: z.string(),
  priority: z.number(),
  max_retries: z.number().exactOptional(),
  providers: z.array(z.string()),
  secret_params: z.array(z.string()),
  params_schema: object,
})
