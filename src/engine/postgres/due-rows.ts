import type { Sql } from '../../ledger/postgres/sql.ts'
import { DUE, STRETCHES } from '../../ledger/postgres/start-due.ts'
import type { Accesses } from '../../ledger/row/provider-access.ts'
import type { DueRow, DueSource, Group } from '../due-work.ts'

interface FoundRow extends Group, DueRow {}

/** Whether all providers of a stretch are closed. A key with an escape is not read, because the server refuses some of them. */
const IS_CLOSED = `s.provider = ANY($3::text[]) OR CASE WHEN left(s.provider, 1) = '[' AND position('\\u' IN s.provider) = 0
    THEN s.provider::jsonb <@ to_jsonb($3::text[]) ELSE false END`

/**
 * The first rows of every stretch; where all its providers are closed, only one. For a real claim, skips rows that another claim
 * has locked, and locks the rows found.
 */
const question = (
  lock: string,
) => `WITH RECURSIVE stretch AS (${STRETCHES('unnest($1::text[]) AS c(capability)')})
  SELECT s.capability, s.provider AS pool, s.rank, r.* FROM stretch s, LATERAL (
    SELECT o.id, o.due_at FROM operations o WHERE ${DUE} AND o.capability = s.capability
      AND o.provider = s.provider AND o.rank = s.rank ORDER BY o.due_at, o.id
    LIMIT CASE WHEN ${IS_CLOSED} THEN 1 ELSE $2 END ${lock}) r`

const LOOK = question('')
const TAKE = question('FOR UPDATE OF o SKIP LOCKED')

/** Due work in the form that {@link findWork} needs, read in one query. */
export async function dueRows(
  sql: Sql,
  {
    capabilities,
    limit,
    accesses,
    lock,
  }: {
    capabilities: ReadonlySet<string>
    /** Most rows of each stretch. */
    limit: number
    accesses: Accesses
    /** Whether to lock the rows found and skip locked ones. */
    lock: boolean
  },
): Promise<DueSource> {
  const closed = [...accesses].flatMap(([id, { state }]) => (state === 'closed' ? [id] : []))
  const rows = await sql.rows<FoundRow>(lock ? TAKE : LOOK, [[...capabilities], limit, closed])
  const stretches = Map.groupBy(rows, row => JSON.stringify([row.capability, row.pool, row.rank]))
  const byCapability = Map.groupBy([...stretches.values()], ([first]) => (first as FoundRow).capability)
  const found = new Map<Group, readonly DueRow[]>()
  return {
    groups: capability =>
      (byCapability.get(capability) ?? []).map(stretch => {
        const { pool, rank } = stretch[0] as FoundRow
        const group = { capability, pool, rank }
        found.set(group, stretch)
        return group
      }),
    rows: (group, most) => (found.get(group) ?? []).slice(0, most),
  }
}
