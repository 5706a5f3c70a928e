import type { DatabaseSync } from 'node:sqlite'
import { OPERATION_STATES } from '../operation.ts'
import { type Condition, conditionsOf, listOf, NEVER, type RowFilter } from './conditions.ts'
import type { Source } from './source.ts'
import { STATE_SOURCES } from './state-sources.ts'

/** A condition that can lead: an index finds its matches, and the other conditions are tested on those. */
interface Lead {
  takes: readonly Condition['on'][]
  sources: readonly Source[]
}

/** Conditions with their own index, the most selective first. */
const BY_INDEX = [
  ['session', 'operations_session'],
  ['agentSession', 'operations_agent_session'],
  ['fingerprint', 'operations_fingerprint'],
  ['parkedFor', 'operations_parked'],
  ['deadAs', 'operations_dead'],
  ['kind', 'operations_kind'],
  ['class', 'operations_class'],
] as const

/**
 * How many index entries to count to find out how common something is; with more than this, it counts as common. A page
 * needs few matches, and finds them soon if they are common; a count reads every row of the leading condition.
 */
export const COMMON_FOR_PAGE = 4_000
export const COMMON_FOR_COUNT = 200_000

/**
 * Where to look for the operations of a filter. Together, the sources return each match once. A bounded count decides
 * which index leads: the planner does not know how common a value is.
 */
export function sourcesOf(db: DatabaseSync, filter: RowFilter, common = COMMON_FOR_PAGE): Source[] {
  const conditions = conditionsOf(db, filter)
  if (conditions.some(({ sql }) => sql === NEVER)) return []
  const time = conditions.filter(({ on }) => on === 'time')
  // Times are ranges of ids, which every index can skip to.
  const leads = leadsOf(db, filter, conditions).map(lead => ({
    ...lead,
    sources: lead.sources.map(source => withConditions(source, time)),
  }))
  const lead = leads.length === 1 ? (leads[0] as Lead) : rarest(db, leads, common)
  const rest = conditions.filter(({ on }) => on !== 'time' && !lead.takes.includes(on))
  return lead.sources.map(source => withConditions(source, rest))
}

/** The conditions that can lead, the most selective first; at least one. */
function leadsOf(db: DatabaseSync, filter: RowFilter, conditions: readonly Condition[]): Lead[] {
  const byId: Source = { from: 'operations', id: 'operations.id', where: [], values: [] }
  const given = (on: Condition['on']) => conditions.filter(condition => condition.on === on)
  if (filter.ids) return [{ takes: ['ids'], sources: [withConditions(byId, given('ids'))] }]
  const leads: Lead[] = BY_INDEX.filter(([on]) => filter[on] !== undefined).map(([on, index]) => ({
    takes: [on],
    sources: [withConditions({ ...byId, from: `operations INDEXED BY ${index}` }, given(on))],
  }))
  if (filter.heldBy) {
    const isOfEngine = 'engine' in filter.heldBy
    const from = `operations INDEXED BY ${isOfEngine ? 'operations_held' : 'operations_due'}`
    const source = { ...byId, from, isOrderedById: isOfEngine }
    leads.push({ takes: ['heldBy'], sources: [withConditions(source, given('heldBy'))] })
  }
  if (filter.provider !== undefined)
    leads.push({
      takes: ['provider'],
      sources: [
        {
          from: 'operation_providers CROSS JOIN operations ON operations.id = operation_providers.operation',
          id: 'operation_providers.operation',
          where: ['operation_providers.provider = ?'],
          values: [filter.provider],
        },
      ],
    })
  if (filter.state !== undefined || filter.capability !== undefined)
    leads.push({ takes: ['state', 'capability'], sources: byState(db, filter) })
  return leads.length > 0 ? leads : [{ takes: [], sources: [byId] }]
}

/** What the indexes of the states return, for some capabilities or all. */
export function byState(db: DatabaseSync, filter: Pick<RowFilter, 'state' | 'capability'>): Source[] {
  const capabilities = listOf(filter.capability)
  return (listOf(filter.state) ?? OPERATION_STATES).flatMap(state => STATE_SOURCES[state](db, capabilities))
}

/**
 * The lead with the fewest entries. Counts to a low bound first, to find something rare before counting something
 * common.
 */
function rarest(db: DatabaseSync, leads: readonly Lead[], common: number): Lead {
  for (const bound of [COMMON_FOR_PAGE, common]) {
    let best: Lead | undefined
    let fewest = bound
    for (const lead of leads) {
      const count = countUpTo(db, lead.sources, fewest)
      if (count < fewest) [best, fewest] = [lead, count]
    }
    if (best) return best
    if (bound >= common) break
  }
  return leads[0] as Lead
}

/** How many entries the sources have together, up to a bound. */
function countUpTo(db: DatabaseSync, sources: readonly Source[], bound: number): number {
  let count = 0
  for (const { from, id, where, values } of sources) {
    if (count >= bound) break
    // Only the provider's entries: whether the operation exists is another question.
    const entries = from.replace(/ CROSS JOIN .*/, '')
    const inOrder = where.map(condition => condition.replaceAll('operations.id', id))
    const row = db
      .prepare(`SELECT count(*) AS n FROM (SELECT 1 FROM ${entries} WHERE ${inOrder.join(' AND ')} LIMIT ?)`)
      .get(...values, bound - count) as { n: number }
    count += row.n
  }
  return count
}

function withConditions(source: Source, conditions: readonly Condition[]): Source {
  return {
    ...source,
    where: [
      ...source.where,
      ...conditions.map(({ on, sql }) => (on === 'time' ? sql.replaceAll('operations.id', source.id) : sql)),
    ],
    values: [...source.values, ...conditions.flatMap(({ values }) => values)],
  }
}
