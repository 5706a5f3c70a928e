import { CANCEL_REASONS, PARK_REASONS } from '../../verdict/verdict.ts'
import { citizenCapability } from '../citizen.ts'
import { type Counts, type ListRequest, MOST_SORTED, type OperationFilter, type Page } from '../filter.ts'
import { OPERATION_STATES, type Operation, type OperationState } from '../operation.ts'
import { heldBy, holders, operationsOf } from '../record/holds.ts'
import { addCounted, noCounts } from '../row/counted.ts'
import { FILTER_COLUMNS } from '../row/filter-columns.ts'
import { OF_DELIVERIES } from '../row/of-deliveries.ts'
import type { OperationRow } from '../row/operation-row.ts'
import { LARGEST_PAGE, PAGE_DEFAULT, pageBegin } from '../row/page-bounds.ts'
import { ATTEMPTS_PER_OPERATION, numberOf } from '../row/rows.ts'
import { SORT_COLUMNS } from '../row/sort-columns.ts'
import { answer } from './answer.ts'
import { Conditions } from './conditions.ts'
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
    const conditions = (await this.#conditionsOf(filter, now)).add('o.id < ?', before)
    const newest = (columns: string, most: number) =>
      `SELECT ${columns} FROM operations o WHERE ${conditions.sql} ORDER BY o.id DESC LIMIT ${most}`
    const text =
      sort === undefined
        ? newest('o.*', limit + 1)
        : `SELECT s.* FROM operations s WHERE s.id IN (${newest('o.id', MOST_SORTED)})
           ORDER BY s.${SORT_COLUMNS[sort]} ${ascending ? 'ASC' : 'DESC'}, s.id DESC LIMIT ${limit}`
    const rows = await this.#sql.rows<OperationRow>(text, conditions.values)
    const fitting: OperationRow[] = []
    let size = 0
    for (const row of rows.slice(0, limit)) {
      size += row.params.length + (row.result?.length ?? 0) + (row.context?.length ?? 0)
      if (size > LARGEST_PAGE && fitting.length > 0) break
      fitting.push(row)
    }
    const items = await answer(this.#sql, operationsOf(fitting, now))
    const last = items.at(-1)
    return { items, ...(sort === undefined && rows.length > items.length && last ? { next: last.id } : {}) }
  }

  async counts(filter: OperationFilter, now: number): Promise<Counts> {
    const counts = noCounts()
    const { state, deliveries, ...rest } = filter
    const held = [...(await answer(this.#sql, holders(now))).keys()]
    if (Object.values(rest).some(value => value !== undefined)) {
      await this.#add(counts, await this.#conditionsOf(filter, now, now, held), COUNTED)
      return counts
    }
    const states = state === undefined ? OPERATION_STATES : ([state].flat() as OperationState[])
    // Succeeded operations have no further counts: the index alone answers.
    for (const each of new Set(states))
      for (const ofState of OF_STATE[each]) {
        const where = deliveries ? `${ofState} AND ${OF_DELIVERIES[deliveries]}` : ofState
        await (each === 'succeeded'
          ? this.#add(counts, new Conditions().add(where), 'count(*) AS succeeded')
          : this.#add(counts, new Conditions(now, held).add(where), COUNTED))
      }
    return counts
  }

  /** @param values values that the query already has */
  async #conditionsOf(
    { heldBy: holder, ...filter }: OperationFilter,
    now: number,
    ...values: unknown[]
  ): Promise<Conditions> {
    const conditions = conditionsOf(filter, ...values)
    if (holder === undefined) return conditions
    const held = await answer(this.#sql, heldBy(holder, now))
    if ('engine' in held) return conditions.add('o.held_by = ?', held.engine)
    return conditions
      .add("o.state = 'scheduled' AND o.held_by IS NULL AND o.due_at <= ?", now)
      .isOneOf('o.provider', held.pools)
  }

  async #add(counts: Counts, conditions: Conditions, sums: string): Promise<void> {
    const row = await this.#sql.row<Record<string, number>>(
      `SELECT ${sums} FROM operations o WHERE ${conditions.sql}`,
      conditions.values,
    )
    addCounted(counts, row ?? {})
  }
}

function conditionsOf(filter: OperationFilter, ...values: unknown[]): Conditions {
  const conditions = new Conditions(...values)
  for (const [on, column] of FILTER_COLUMNS) conditions.isOneOf(`o.${column}`, filter[on])
  const state = listOf(filter.state)
  // Written as in the index: of a value the server does not know that it implies this.
  if (state === 'parked') conditions.add('o.parked_for IS NOT NULL')
  conditions.isOneOf('o.state', state).isOneOf('o.capability', listOf(filter.capability))
  if (filter.deliveries) conditions.add(OF_DELIVERIES[filter.deliveries])
  if (filter.engine !== undefined)
    conditions.add('starts_with(o.capability, ?)', citizenCapability(filter.engine, ''))
  if (filter.ids)
    conditions.isOneOf(
      'o.id',
      filter.ids.map(id => numberOf(id) ?? 0),
      'bigint',
    )
  if (filter.createdFrom !== undefined) conditions.add('o.created_at >= ?', filter.createdFrom)
  if (filter.createdBefore !== undefined) conditions.add('o.created_at < ?', filter.createdBefore)
  if (filter.provider !== undefined)
    conditions.add(
      'EXISTS (SELECT 1 FROM operation_providers p WHERE p.provider = ? AND p.operation = o.id)',
      filter.provider,
    )
  if (filter.text !== undefined)
    conditions.add(
      `o.id IN (SELECT t.attempt / ${ATTEMPTS_PER_OPERATION} FROM failure_texts t WHERE t.words @@ ?::tsquery)`,
      wordQuery(filter.text),
    )
  return conditions
}

function listOf<T extends string>(value: T | readonly T[] | undefined): T | readonly T[] | undefined {
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}
