import { z } from 'zod'
import { present } from '../../../failure/present.ts'
import { LEAST_EVENTS_MS, retentionOf, setRetention } from '../../../queue/retention.ts'
import { sizeSamples } from '../../../queue/size-samples.ts'
import { addressOf, type StoredLedger } from '../../../queue/stored-ledger.ts'
import { jsonWriter } from '../../../shape/json-writer.ts'
import { inForce } from '../facilities.ts'
import { ledgerSize, retention } from '../ledger-size-shape.ts'
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

/** A century, as for `/v1/prune`. */
const LONGEST_MS = 3_155_760_000_000
const kept = (what: string, least = 0) =>
  z
    .int()
    .min(least)
    .max(LONGEST_MS)
    .nullable()
    .optional()
    .describe(`How long to keep ${what}, in milliseconds; null returns to the config's. Default unchanged.`)

const keep = route({
  method: 'patch',
  path: '/v1/ledger/retention',
  id: 'setRetention',
  summary: 'Set how long history is kept, for every host that shares the ledger',
  demand: 'change',
  body: z.strictObject({
    succeeded: kept('succeeded operations'),
    dead: kept('dead operations'),
    events: kept('queue and provider events, at least an hour', LEAST_EVENTS_MS),
    workflows: kept('ended workflow runs'),
  }),
  answers: { 200: { description: 'The retention in force', schema: z.object({ retention }) } },
  async run({ body }, facilities) {
    const { ledger } = facilities
    await setRetention(ledger, present(body))
    const found = await retentionOf(ledger, inForce(facilities).loaded.config)
    return {
      json: {
        retention: found.map(({ key, afterMs, setIn }) => ({ key, after_ms: afterMs, set_in: setIn })),
      },
    }
  },
})

/** The place of the ledger, its size, and how long it keeps history. */
export const ledgerRoutes: readonly Route[] = [where, size, keep]
