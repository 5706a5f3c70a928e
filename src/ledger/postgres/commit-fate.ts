import { isLost } from './postgres-error.ts'
import type { Sql } from './sql.ts'

/** Identifies a begun transaction, so that the server can tell its fate. */
export interface Begun {
  xid: string
  /** Timeline of the server: one that was promoted after a failover has another. '' if the server does not report it. */
  timeline: string
}

type Fate = 'committed' | 'aborted' | 'in progress' | 'unknown'

/** SQL for the current timeline of a server. */
export const TIMELINE = 'left(pg_walfile_name(pg_current_wal_lsn()), 8)'

/** Whether the server reports its timeline: some that store their log elsewhere do not. */
export async function tellsTimeline(sql: Sql): Promise<boolean> {
  try {
    return (await sql.row(`SELECT ${TIMELINE} AS timeline`)) !== undefined
  } catch (error) {
    if (isLost(error)) throw error
    return false
  }
}

/**
 * The fate of a transaction. A promoted server does not know it: its copy may end before the commit, and it assigns the same
 * ids to other transactions.
 */
export async function fateOf(sql: Sql, { xid, timeline }: Begun): Promise<Fate> {
  const status = 'pg_xact_status($1::xid8)'
  try {
    const row = await (timeline === ''
      ? sql.row<{ fate: Fate | null }>(`SELECT ${status} AS fate`, [xid])
      : sql.row<{ fate: Fate | null }>(`SELECT CASE WHEN ${TIMELINE} = $2 THEN ${status} END AS fate`, [
          xid,
          timeline,
        ]))
    return row?.fate ?? 'unknown'
  } catch (error) {
    if ((error as { code?: string }).code === NOT_YET_GIVEN) return 'unknown'
    throw error
  }
}

/** The server's error code for an id that it has not assigned to any transaction yet. */
const NOT_YET_GIVEN = '22023'
