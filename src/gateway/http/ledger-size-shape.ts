import { z } from 'zod'
import { RETENTION_KEYS } from '../../queue/retention-keys.ts'
import { moment, oneOf } from '../../shape/value.ts'

/** How long history is kept, and who says so. */
export const retention = z.array(
  z.object({
    key: oneOf(RETENTION_KEYS),
    after_ms: z.number().describe('What is older is deleted, in milliseconds.'),
    set_in: oneOf(['config', 'ledger']),
  }),
)

/** How large the ledger is, and how long history is kept. */
export const ledgerSize = z.object({
  bytes: z.number().describe('Its tables and indices.'),
  free_bytes: z.number().exactOptional().describe('Of these, what nothing is in. Absent on PostgreSQL.'),
  samples: z
    .array(z.object({ at: moment, bytes: z.number() }))
    .describe('Recorded by the daemon, oldest first: two days of hours, and 400 days.'),
  retention,
})
