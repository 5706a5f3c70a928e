import { z } from 'zod'
import { latestChanges } from '../../../ledger/change.ts'
import { moment } from '../../../shape/value.ts'
import { timeToJson } from '../../../time/time-json.ts'
import { type Route, route } from '../route.ts'

const change = z.object({
  id: z.number(),
  at: moment,
  by: z.string().describe('A token, a browser, a user of the command or an agent.'),
  via: z.enum(['http', 'command', 'mcp', 'button']),
  action: z.string(),
  subject: z.string().optional(),
  reason: z.string().optional(),
})

export const auditRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/audit',
    id: 'listChanges',
    summary: 'Who changed what, newest first',
    demand: 'look',
    query: z.strictObject({ limit: z.int().min(1).max(1000).optional().describe('Default 100.') }),
    answers: { 200: { description: 'The latest changes', schema: z.object({ changes: z.array(change) }) } },
    async run({ query: { limit = 100 } }, { ledger }) {
      const changes = await latestChanges(ledger, limit)
      return { json: { changes: changes.map(each => ({ ...each, at: timeToJson(each.at) })) } }
    },
  }),
]
