import { z } from 'zod'
import { defineCapability } from '../../src/capability/define.ts'

/** A capability for tests: a list, a date that the schema makes, and a secret with its own rule. */
export const deploy = defineCapability({
  retry: 'none',
  name: 'deploy',
  params: z.object({
    items: z.array(z.object({ id: z.string() })),
    when: z.coerce.date().optional(),
    token: z.string().min(8, 'must have 8 characters or more').optional(),
  }),
  secrets: ['token'],
  run: ({ items }) => items.length,
})
