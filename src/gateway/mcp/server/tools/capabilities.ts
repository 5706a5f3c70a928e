import { z } from 'zod'
import { poolsOf } from '../../../../agent/from-config.ts'
import { capabilityToJson } from '../../../../capability/capability-json.ts'
import { isDelivery } from '../../../../ledger/delivery-name.ts'
import { nearest } from '../../../../option/nearest.ts'
import { object } from '../../../../shape/value.ts'
import { inForce } from '../../../http/facilities.ts'
import { notFound, Problem } from '../../../http/problem.ts'
import { name } from '../../../http/value-schemas.ts'
import { type ToolHost, tool } from '../tool.ts'

const DEFAULT_LIMIT = 20
/** With more than this, schemas of parameters are left out of a list. */
const MOST_WITH_SCHEMA = 5

/** What can be run. */
export const capabilities = tool({
  name: 'capabilities',
  title: 'Find capabilities',
  description:
    'Find what the tool run can run: search by words of name and description, or give a name. Tells what it does, the JSON Schema of its parameters, and whether it may run twice.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({
    query: z.string().max(200).optional().describe('Words; the best match first. Default all.'),
    name: name.optional().describe('Exactly this one.'),
    limit: z.int().min(1).max(100).optional().describe(`How many. Default ${DEFAULT_LIMIT}.`),
    offset: z.int().min(0).optional().describe('Leave out this many. Default 0.'),
  }),
  output: z.looseObject({
    capabilities: z.array(object),
    total: z.number(),
    next_offset: z.number().optional(),
    next_step: z.string(),
  }),
  async run({ query = '', name: wanted, limit = DEFAULT_LIMIT, offset = 0 }, _call, host) {
    if (wanted !== undefined && query !== '')
      throw new Problem(400, 'invalid', 'give query or name, not both')
    const known = await knownTo(host)
    const found = wanted === undefined ? matches(known, query) : [exactly(known, wanted)]
    const page = found.slice(offset, offset + limit)
    const isShort = page.length > MOST_WITH_SCHEMA
    return {
      json: {
        capabilities: isShort ? page.map(({ params_schema: _schema, ...rest }) => rest) : page,
        total: found.length,
        ...(offset + limit < found.length ? { next_offset: offset + limit } : {}),
        next_step:
          found.length === 0
            ? 'Nothing matches; search with other words, or without query for all.'
            : isShort
              ? 'What one takes: capabilities with its name. Then run it.'
              : 'Run one with the tool run.',
      },
    }
  },
})

type Known = Record<string, unknown> & { name: string; description?: string }

/** Those of this process with all that is known of them, and the names of those that only runners elsewhere have. */
async function knownTo({ facilities }: ToolHost): Promise<Known[]> {
  const { queue, loaded } = inForce(facilities)
  const pools = poolsOf(loaded.config)
  const here = [...queue.registry]
    .filter(capability => !isDelivery(capability))
    .map(capability => capabilityToJson(capability, pools) as Known)
  const elsewhere = new Set(
    (await facilities.ledger.runners()).flatMap(({ capabilities: names }) =>
      names.filter(each => !queue.registry.has(each) && !isDelivery({ name: each })),
    ),
  )
  const there = [...elsewhere].map(each => ({ name: each, elsewhere: true }))
  return [...here, ...there].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function exactly(known: readonly Known[], wanted: string): Known {
  const found = known.find(({ name: each }) => each === wanted)
  if (found) return found
  const names = known.map(({ name: each }) => each)
  const guess = nearest(wanted, names)
  throw notFound(
    `unknown capability ${JSON.stringify(wanted)}; ${guess ? `did you mean "${guess}"?` : `known: ${names.slice(0, 30).join(', ') || 'none'}`}`,
  )
}

/** Those that have all words first, then those that have some; a word in the name counts more. */
function matches(known: readonly Known[], query: string): Known[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length === 0) return [...known]
  return known
    .map(each => ({ each, score: words.reduce((sum, word) => sum + scoreOf(each, word), 0) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ each }) => each)
}

function scoreOf({ name: called, description = '' }: Known, word: string): number {
  if (called.toLowerCase().includes(word)) return 3
  return description.toLowerCase().includes(word) ? 1 : 0
}
