import type { Sql } from '../../ledger/postgres/sql.ts'
import {
  type Accesses,
  type AccessRow,
  accessStates,
  IS_PAUSE,
  type PauseRow,
  pauseEnds,
} from '../../ledger/row/provider-access.ts'
import type { ClaimRequest } from '../engine.ts'

/** Everything besides the operations themselves that decides what may be claimed. */
export interface ClaimConditions {
  /** The runner's capabilities that are not paused. */
  capabilities: ReadonlySet<string>
  accesses: Accesses
  /** Running operations on all hosts, by name; counted only if the request has limits. */
  running: Readonly<Record<'capability' | 'provider', ReadonlyMap<string, number>>>
}

interface ConditionRow {
  pauses: { kind: string; name: string }[] | null
  gates: AccessRow[] | null
  paused: PauseRow[] | null
  by_capability: Record<string, number> | null
  by_provider: Record<string, number> | null
}

const counted = (by: 'capability' | 'provider', asked: string) => `(SELECT json_object_agg(c.name, c.n) FROM
    (SELECT ${by} AS name, count(*) AS n FROM operations WHERE ${asked} AND state = 'running' GROUP BY 1) c)`

/** One query, because a claim waits for each answer. */
const CONDITIONS = `SELECT (SELECT json_agg(p) FROM pauses p) AS pauses, (SELECT json_agg(g) FROM provider_gates g) AS gates,
  (SELECT json_agg(s) FROM provider_state s WHERE ${IS_PAUSE}) AS paused,
  ${counted('capability', '$1::bool')} AS by_capability, ${counted('provider', '$2::bool')} AS by_provider`

export async function claimConditions(
  sql: Sql,
  { capabilities, limits }: ClaimRequest,
  now: number,
): Promise<ClaimConditions> {
  const row = await sql.row<ConditionRow>(CONDITIONS, [isAny(limits?.capabilities), isAny(limits?.providers)])
  const pauses = row?.pauses ?? []
  const paused = new Set(pauses.map(({ name }) => name))
  return {
    capabilities: pauses.some(({ kind }) => kind === 'queue')
      ? new Set()
      : new Set(capabilities.filter(name => !paused.has(name))),
    accesses: accessStates(row?.gates ?? [], pauseEnds(row?.paused ?? []), now),
    running: {
      capability: new Map(Object.entries(row?.by_capability ?? {})),
      provider: new Map(Object.entries(row?.by_provider ?? {})),
    },
  }
}

/**
 * Limits across all hosts hold only if no other claim comes between counting and taking. A provider that opens gradually is
 * such a limit too.
 */
export function isBounded({ limits }: ClaimRequest, accesses: Accesses = new Map()): boolean {
  const isOpening = [...accesses.values()].some(({ state }) => state === 'opening')
  return isAny(limits?.capabilities) || isAny(limits?.providers) || isOpening
}

function isAny(names: Readonly<Record<string, number>> | undefined): boolean {
  return names !== undefined && Object.keys(names).length > 0
}
