import type { Sql } from '../../ledger/postgres/sql.ts'
import { DUE, STRETCHES } from '../../ledger/postgres/start-due.ts'
import type { DueRow, DueSource, Group } from '../due-work.ts'
import type { AccessState } from '../provider-access-state.ts'

interface FoundRow extends Group, DueRow {
  provider: string
  group_provider: string
  is_held: boolean
}

const HELD = 'o.held_by IS NOT NULL'

/**
 * The first rows of every stretch. For a real claim, skips rows that another claim has locked, and locks the rows found.
 */
const question = (
  lock: string,
) => `WITH RECURSIVE stretch AS (${STRETCHES('unnest($1::text[]) AS c(capability)')}),
  held AS (
    SELECT p.provider, c.capability, s.rank FROM unnest($3::text[]) AS p(provider), unnest($1::text[]) AS c(capability),
      LATERAL (SELECT o.rank FROM operations o WHERE ${HELD} AND o.held_by = p.provider AND o.capability = c.capability
        ORDER BY o.rank LIMIT 1) s
    UNION ALL SELECT s.provider, s.capability, n.rank FROM held s, LATERAL (
      SELECT o.rank FROM operations o WHERE ${HELD} AND o.held_by = s.provider AND o.capability = s.capability
        AND o.rank > s.rank ORDER BY o.rank LIMIT 1) n)
  SELECT s.capability, s.provider AS group_provider, s.rank, FALSE AS is_held, r.* FROM stretch s, LATERAL (
    SELECT o.id, o.due_at, o.provider, o.providers FROM operations o WHERE ${DUE} AND o.capability = s.capability
      AND o.provider = s.provider AND o.rank = s.rank ORDER BY o.due_at, o.id LIMIT $2 ${lock}) r
  UNION ALL SELECT h.capability, h.provider, h.rank, TRUE, r.* FROM held h, LATERAL (
    SELECT o.id, o.due_at, o.provider, o.providers FROM operations o WHERE ${HELD} AND o.held_by = h.provider
      AND o.capability = h.capability AND o.rank = h.rank ORDER BY o.due_at, o.id LIMIT $2 ${lock}) r`

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
    accesses: ReadonlyMap<string, AccessState>
    /** Whether to lock the rows found and skip locked ones. */
    lock: boolean
  },
): Promise<DueSource> {
  const usable = [...accesses].flatMap(([id, { state }]) =>
    state === 'opening' || state === 'open' ? [id] : [],
  )
  const rows = await sql.rows<FoundRow>(lock ? TAKE : LOOK, [[...capabilities], limit, usable])
  const stretches = Map.groupBy(rows, row =>
    JSON.stringify([row.capability, row.group_provider, row.rank, row.is_held]),
  )
  const byCapability = Map.groupBy([...stretches.values()], ([first]) => (first as FoundRow).capability)
  const found = new Map<Group, readonly DueRow[]>()
  return {
    groups: capability =>
      (byCapability.get(capability) ?? []).map(stretch => {
        const { rank, group_provider: provider, is_held: isHeld } = stretch[0] as FoundRow
        const group = { capability, provider, rank, isHeld }
        found.set(
          group,
          isHeld
            ? stretch
            : (stretch.map(({ id, due_at, providers }) => ({ id, due_at, providers })) as DueRow[]),
        )
        return group
      }),
    rows: (group, most) => (found.get(group) ?? []).slice(0, most),
  }
}
