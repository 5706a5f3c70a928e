import { z } from 'zod'
import { addressOf, type StoredLedger } from '../../../queue/stored-ledger.ts'
import { type Route, route } from '../route.ts'

const where = route({
  method: 'get',
  path: '/v1/ledger',
  id: 'whereIsTheLedger',
  summary: 'Where the ledger is, for workers of other engines that connect to it',
  // Whoever opens the ledger can change it.
  demand: 'change',
  answers: {
    200: {
      description: 'A file on the machine of the daemon, or the address of a database without its password',
      schema: z.object({ place: z.string() }),
    },
  },
  run: (_call, { ledger }) => ({ json: { place: addressOf(ledger as StoredLedger) } }),
})

/** The place of the ledger. */
export const ledgerRoutes: readonly Route[] = [where]
