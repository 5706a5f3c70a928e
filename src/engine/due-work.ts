import { toId } from '../ledger/row/rows.ts'
import { type ClaimRequest, SKIP_FOR_MS } from './engine.ts'
import type { AccessState } from './provider-access-state.ts'

/** A stretch of one of the two indexes: due operations, or operations held for a provider. */
export interface Group {
  capability: string
  provider: string
  rank: number
  isHeld: boolean
}

/** A row of a stretch. */
export interface DueRow {
  id: number
  due_at: number
  /** Only for held rows; due rows share the provider of their stretch. */
  provider?: string
  providers?: string | null
}

/** An operation that is due. */
export interface Candidate {
  id: number
  capability: string
  provider: string
  rank: number
  dueAt: number
  /** The provider whose gradual opening it uses up. */
  through?: string | undefined
}

/** What to claim, what to hold, and when to look again. */
export interface FoundWork {
  take: readonly Candidate[]
  hold: readonly { id: number; provider: string }[]
  nextAt: number | undefined
}

/** Maximum number of operations held in one transaction. */
export const MOST_HOLDS = 200
/** Where to find due work: the stretches of a capability, and the first rows of one. */
export interface DueSource {
  groups(capability: string): Iterable<Group>
  rows(group: Group, limit: number): readonly DueRow[]
}

/** What can be claimed now within all limits, the most urgent first. */
export function findWork(
  source: DueSource,
  { limit, limits, skip }: ClaimRequest,
  capabilities: Iterable<string>,
  accesses: ReadonlyMap<string, AccessState>,
  running: (by: 'capability' | 'provider') => ReadonlyMap<string, number>,
  now: number,
): FoundWork {
  const rooms = new Rooms(limits, accesses, running)
  // Skipped operations must not block those after them.
  const most = limit + (skip?.size ?? 0)
  const found: Candidate[] = []
  const hold: { id: number; provider: string }[] = []
  let nextAt: number | undefined
  const look = (at: number) => {
    nextAt = Math.min(nextAt ?? Infinity, at)
  }
  for (const capability of capabilities) {
    if (rooms.ofCapability(capability) <= 0) continue
    for (const group of source.groups(capability)) {
      const access = accesses.get(group.provider)
      const closed = access?.state === 'closed'
      if (!closed && rooms.ofProvider(group.provider) <= 0) {
        if (access?.state === 'opening') look(access.nextAt)
        continue
      }
      for (const row of source.rows(group, closed ? MOST_HOLDS : most)) {
        if (row.due_at > now) {
          look(row.due_at)
          break
        }
        if (closed) {
          if (hold.length < MOST_HOLDS) hold.push({ id: row.id, provider: group.provider })
          continue
        }
        const way = wayOf(row, accesses, rooms)
        if (way.closedBy !== undefined) {
          if (hold.length < MOST_HOLDS) hold.push({ id: row.id, provider: way.closedBy })
          continue
        }
        if (skip?.has(toId(row.id)) && row.due_at > now - SKIP_FOR_MS) {
          look(row.due_at + SKIP_FOR_MS)
          continue
        }
        const { rank } = group
        const provider = row.provider ?? group.provider
        found.push({ id: row.id, capability, provider, rank, dueAt: row.due_at, through: way.through })
      }
    }
  }
  found.sort((a, b) => a.rank - b.rank || a.dueAt - b.dueAt || a.id - b.id)
  const take: Candidate[] = []
  for (const candidate of found) {
    if (take.length === limit) break
    if (rooms.enter(candidate)) take.push(candidate)
    else {
      const access = accesses.get(candidate.through ?? candidate.provider)
      if (access?.state === 'opening') look(access.nextAt)
    }
  }
  return { take, hold, nextAt }
}

/** How an operation with several providers would run: through which provider, or which one holds it. */
function wayOf(
  { providers }: DueRow,
  accesses: ReadonlyMap<string, AccessState>,
  rooms: Rooms,
): { through?: string; closedBy?: string } {
  if (typeof providers !== 'string') return {}
  let first: { provider: string; until: number } | undefined
  let opening: string | undefined
  for (const provider of JSON.parse(providers) as string[]) {
    const access = accesses.get(provider)
    if (access?.state === 'closed') {
      if (!first || access.until < first.until) first = { provider, until: access.until }
    } else if (access?.state !== 'opening') return {}
    else if (opening === undefined || rooms.ofProvider(opening) <= 0) opening = provider
  }
  if (opening !== undefined) return { through: opening }
  return first ? { closedBy: first.provider } : {}
}

/** How many more may start, by all limits. */
class Rooms {
  readonly #capabilities = new Map<string, number>()
  readonly #providers = new Map<string, number>()

  constructor(
    limits: ClaimRequest['limits'],
    accesses: ReadonlyMap<string, AccessState>,
    running: (by: 'capability' | 'provider') => ReadonlyMap<string, number>,
  ) {
    if (limits?.capabilities) {
      const now = running('capability')
      for (const [name, limit] of Object.entries(limits.capabilities))
        this.#capabilities.set(name, limit - (now.get(name) ?? 0))
    }
    if (limits?.providers) {
      const now = running('provider')
      for (const [name, limit] of Object.entries(limits.providers))
        this.#providers.set(name, limit - (now.get(name) ?? 0))
    }
    for (const [provider, access] of accesses)
      if (access.state === 'opening')
        this.#providers.set(provider, Math.min(access.room, this.ofProvider(provider)))
  }

  ofCapability(name: string): number {
    return this.#capabilities.get(name) ?? Infinity
  }

  ofProvider(name: string): number {
    return this.#providers.get(name) ?? Infinity
  }

  /** Takes the room that one operation needs. False if there is none; then nothing is taken. */
  enter({ capability, provider, through }: Candidate): boolean {
    const by = through ?? provider
    if (this.ofCapability(capability) <= 0 || this.ofProvider(by) <= 0) return false
    this.#capabilities.set(capability, this.ofCapability(capability) - 1)
    this.#providers.set(by, this.ofProvider(by) - 1)
    return true
  }
}
