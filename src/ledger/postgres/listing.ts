import { CANCEL_REASONS, PARK_REASONS } from '../../verdict/verdict.ts'
import { citizenCapability } from '../citizen.ts'
import { type Counts, type ListRequest, MOST_SORTED, type OperationFilter, type Page } from '../filter.ts'
import { OPERATION_STATES, type Operation, type OperationState } from '../operation.ts'
import type { AskedValue } from '../record/asking.ts'
import { type Condition, isOneOf, whereOf } from '../record/conditions.ts'
import { heldBy, holders, operationsOf } from '../record/holds.ts'
import { addCounted, noCounts } from '../row/counted.ts'
import { FILTER_COLUMNS, OF_DELIVERIES, SORT_COLUMNS } from '../row/filter-columns.ts'
import { type OperationRow, sizeOfOperation } from '../row/operation-row.ts'
import { fittingRows, PAGE_DEFAULT, pageBegin } from '../row/page-bounds.ts'
import { ATTEMPTS_PER_OPERATION, numberOf } from '../row/rows.ts'
import { answer } from './answer.ts'
import type { Sql } from './sql.ts'
import { wordQuery } from './words.ts'

const sum = (condition: string, name: string) => `count(*) FILTER (WHERE ${condition}) AS ${name}`

const IS_DUE = "state = 'scheduled' AND held_by IS NULL AND due_at <= $1"

/** Sums in one pass; $1 is now, $2 has the providers of held operations. */
const COUNTED = [
  ...OPERATION_STATES.map(state => sum(`state = '${state}'`, state)),
  ...PARK_REASONS.map(reason => sum(`parked_for = '${reason}'`, `for_${reason}`)),
  ...CANCEL_REASONS.map(reason => sum(`dead_as = '${reason}'`, `as_${reason}`)),
  sum(`held_by IS NOT NULL OR (${IS_DUE} AND provider = ANY($2::text[]))`, 'held'),
  sum(`${IS_DUE} AND NOT provider = ANY($2::text[])`, 'due'),
].join(', ')

/** Conditions of each state. Each has an index, which is used only if the condition is written exactly as in the index. */
const OF_STATE: Readonly<Record<OperationState, readonly string[]>> = {
  scheduled: ["state = 'scheduled' AND held_by IS NULL", 'held_by IS NOT NULL'],
  running: ["state = 'running'"],
  parked: ['parked_for IS NOT NULL'],
  succeeded: ["state = 'succeeded' AND state IN ('succeeded', 'dead')"],
  dead: ["state = 'dead' AND state IN ('succeeded', 'dead')"],
}

/** Pages and counts of operations. */
export class Listing {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  async page(
    filter: OperationFilter,
    { limit = PAGE_DEFAULT, cursor, sort, ascending = false }: ListRequest,
    now: number,
  ): Promise<Page<Operation>> {
    const before = pageBegin(limit, sort === undefined ? cursor : undefined, numberOf)
    const { where, values } = whereOf([
      ...(await this.#conditionsOf(filter, now)),
      { sql: 'o.id < ?', value: before },
    ])
    const newest = (columns: string, most: number) =>
      `SELECT ${columns} FROM operations o WHERE ${where} ORDER BY o.id DESC LIMIT ${most}`
    const text =
      sort === undefined
        ? newest('o.*', limit + 1)
        : `SELECT s.* FROM operations s WHERE s.id IN (${newest('o.id', MOST_SORTED)})
           ORDER BY s.${SORT_COLUMNS[sort]} ${ascending ? 'ASC' : 'DESC'}, s.id DESC LIMIT ${limit}`
    const rows = await this.#sql.rows<OperationRow>(text, values)
    const items = await answer(this.#sql, operationsOf(fittingRows(rows, limit, sizeOfOperation), now))
    const last = items.at(-1)
    return { items, ...(sort === undefined && rows.length > items.length && last ? { next: last.id } : {}) }
  }

  async counts(filter: OperationFilter, now: number): Promise<Counts> {
    const counts = noCounts()
    const { state, deliveries, ...rest } = filter
    const held = [...(await answer(this.#sql, holders(now))).keys()]
    if (Object.values(rest).some(value => value !== undefined)) {
      await this.#add(counts, await this.#conditionsOf(filter, now), COUNTED, now, held)
      return counts
    }
    const states = state === undefined ? OPERATION_STATES : ([state].flat() as OperationState[])
    // Succeeded operations have no further counts: the index alone answers.
    for (const each of new Set(states))
      for (const ofState of OF_STATE[each]) {
        const where = [{ sql: deliveries ? `${ofState} AND ${OF_DELIVERIES[deliveries]}` : ofState }]
        await (each === 'succeeded'
          ? this.#add(counts, where, 'count(*) AS succeeded')
          : this.#add(counts, where, COUNTED, now, held))
      }
    return counts
  }

  async #conditionsOf({ heldBy: holder, ...filter }: OperationFilter, now: number): Promise<Condition[]> {
    const conditions = conditionsOf(filter)
    if (holder === undefined) return conditions
    const held = await answer(this.#sql, heldBy(holder, now))
    if ('engine' in held) return [...conditions, { sql: 'o.held_by = ?', value: held.engine }]
    const isDue = { sql: "o.state = 'scheduled' AND o.held_by IS NULL AND o.due_at <= ?", value: now }
    return [...conditions, isDue, ...isOneOf('o.provider', held.pools)]
  }

  /** @param given values that the sums need */
  async #add(
    counts: Counts,
    conditions: readonly Condition[],
    sums: string,
    ...given: readonly AskedValue[]
  ): Promise<void> {
    const { where, values } = whereOf(conditions, ...given)
    const text = `SELECT ${sums} FROM operations o WHERE ${where}`
    addCounted(counts, (await this.#sql.row<Record<string, number>>(text, values)) ?? {})
  }
}

function conditionsOf(filter: OperationFilter): Condition[] {
  const conditions = FILTER_COLUMNS.flatMap(([on, column]) => isOneOf(`o.${column}`, filter[on]))
  const add = (sql: string, value: AskedValue | undefined) => {
    if (value !== undefined) conditions.push({ sql, value })
  }
  const state = listOf(filter.state)
  // Written as in the index: of a value the server does not know that it implies this.
  if (state === 'parked') conditions.push({ sql: 'o.parked_for IS NOT NULL' })
  conditions.push(...isOneOf('o.state', state), ...isOneOf('o.capability', listOf(filter.capability)))
  if (filter.deliveries) conditions.push({ sql: OF_DELIVERIES[filter.deliveries] })
  const engine = filter.engine === undefined ? undefined : citizenCapability(filter.engine, '')
  add('starts_with(o.capability, ?)', engine)
  const ids = filter.ids?.map(id => numberOf(id) ?? 0)
  conditions.push(...isOneOf('o.id', ids, 'bigint'))
  add('o.created_at >= ?', filter.createdFrom)
  add('o.created_at < ?', filter.createdBefore)
  add(
    'EXISTS (SELECT 1 FROM operation_providers p WHERE p.provider = ? AND p.operation = o.id)',
    filter.provider,
  )
  add(
    `o.id IN (SELECT t.attempt / ${ATTEMPTS_PER_OPERATION} FROM failure_texts t WHERE t.words @@ ?::tsquery)`,
    filter.text === undefined ? undefined : wordQuery(filter.text),
  )
  return conditions
}

function listOf<T extends string>(value: T | readonly T[] | undefined): T | readonly T[] | undefined {
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}
