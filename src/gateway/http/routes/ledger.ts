import { z } from 'zod'
import { present } from '../../../failure/present.ts'
import { retentionOf } from '../../../queue/retention.ts'
import { sizeSamples } from '../../../queue/size-samples.ts'
import { addressOf, type StoredLedger } from '../../../queue/stored-ledger.ts'
import { jsonWriter } from '../../../shape/json-writer.ts'
import { inForce } from '../facilities.ts'
import { ledgerSize } from '../ledger-size-shape.ts'
import { type Route, route } from '../route.ts'

const write = jsonWriter(ledgerSize)

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

const size = route({
  method: 'get',
  path: '/v1/ledger/size',
  id: 'getLedgerSize',
  summary: 'How large the ledger is, how it grew, and how long history is kept',
  demand: 'look',
  answers: {
    200: { description: 'Its size, samples of it, and the retention in force', schema: ledgerSize },
  },
  async run(_call, facilities) {
    const { ledger } = facilities
    const [{ bytes, freeBytes }, samples, retention] = await Promise.all([
      ledger.size(),
      sizeSamples(ledger),
      retentionOf(ledger, inForce(facilities).loaded.config),
    ])
    return { json: write({ bytes, samples, retention, ...present({ freeBytes }) }) }
  },
})

/** The place of the ledger, and its size. */
export const ledgerRoutes: readonly Route[] = [where, size]
