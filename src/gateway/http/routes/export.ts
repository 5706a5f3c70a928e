import { z } from 'zod'
import type { Operation } from '../../../ledger/operation.ts'
import { pagesOf } from '../../../ledger/pages.ts'
import { operationToJson } from '../../../queue/operation-json.ts'
import { inTurns } from '../../../time/in-turns.ts'
import { CSV_HEAD, csvLine } from '../csv.ts'
import { backgroundOf, inForce } from '../facilities.ts'
import { filter, filterOf, filterShape } from '../operation-schemas.ts'
import { type Route, route } from '../route.ts'

/** Most operations in an export. */
const MOST_EXPORTED = 100_000
const PAGE = 500

const exported = route({
  method: 'get',
  path: '/v1/operations/export',
  id: 'exportOperations',
  summary: `Operations that match all filters, newest first, as a file: at most ${MOST_EXPORTED}`,
  demand: 'look',
  query: z.strictObject({
    id: filter.shape.id,
    ...filterShape,
    format: z.enum(['csv', 'json']).describe('`json` has one operation per line.'),
  }),
  answers: { 200: { description: 'A file', type: 'text/csv' } },
  run({ query: { format, ...given }, signal }, facilities) {
    const now = inForce(facilities)
    const line = (item: Operation) => {
      const json = operationToJson(item, backgroundOf(now, item.capability))
      return format === 'csv' ? csvLine(json) : `${JSON.stringify(json)}\n`
    }
    return {
      headers: {
        'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
        'content-disposition': `attachment; filename="operations.${format === 'csv' ? 'csv' : 'ndjson'}"`,
        'cache-control': 'no-store',
      },
      async stream({ write }) {
        if (format === 'csv') await write(Buffer.from(CSV_HEAD))
        let sent = 0
        for await (const items of pagesOf(page => facilities.ledger.list(filterOf(given), page), PAGE)) {
          await write(Buffer.from((await inTurns(items, line)).join('')))
          sent += items.length
          if (sent >= MOST_EXPORTED || signal.aborted) return
        }
      },
    }
  },
})

/** Operations as a file. */
export const exportRoutes: readonly Route[] = [exported]
