import { providersIn } from '../ledger/row/pool-key.ts'
import { type Accesses, type Way, wayOf } from '../ledger/row/provider-access.ts'
import { toId } from '../ledger/row/rows.ts'
import { type ClaimRequest, SKIP_FOR_MS } from './engine.ts'

/** A stretch of the due index. */
export interface Group {
  capability: string
  /** What its operations have in common: see `pool-key.ts`. */
  pool: string
  rank: number
}

/** A row of a stretch. */
export interface DueRow {
  id: number
  due_at: number
}

/** An operation that is due. */
export interface Candidate {
  id: number
  capability: string
  pool: string
  rank: number
  dueAt: number
  /** The provider whose gradual opening it uses up. */
  through?: string | undefined
}

/** What to claim, and when to look again. */
export interface FoundWork {
  take: readonly Candidate[]
  nextAt: number | undefined
}

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
  accesses: Accesses,
  running: (by: 'capability' | 'provider') => ReadonlyMap<string, number>,
  now: number,
): FoundWork {
  const rooms = new Rooms(limits, accesses, running)
  // Skipped operations must not block those after them.
  const most = limit + (skip?.size ?? 0)
  const found: Candidate[] = []
  const isAnyShut = accesses.size > 0
  let nextAt: number | undefined
  const look = (at: number) => {
    nextAt = Math.min(nextAt ?? Infinity, at)
  }
  const lookWhenOpener = (provider: string) => {
    const access = accesses.get(provider)
    if (access?.state === 'opening') look(access.nextAt)
  }
  for (const capability of capabilities) {
    if (rooms.ofCapability(capability) <= 0) continue
    for (const group of source.groups(capability)) {
      const { pool, rank } = group
      const way: Way = isAnyShut ? wayOf(providersIn(pool), accesses, id => rooms.ofProvider(id) > 0) : {}
      if (way.closedBy !== undefined) {
        // All of the stretch is held, however much that is: only its first row is read.
        const [first] = source.rows(group, 1)
        if (first) look(Math.max(first.due_at, way.until))
        continue
      }
      const by = way.through ?? pool
      if (rooms.ofProvider(by) <= 0) {
        lookWhenOpener(by)
        continue
      }
      for (const row of source.rows(group, most)) {
        if (row.due_at > now) {
          look(row.due_at)
          break
        }
        if (skip?.has(toId(row.id)) && row.due_at > now - SKIP_FOR_MS) {
          look(row.due_at + SKIP_FOR_MS)
          continue
        }
        found.push({ id: row.id, capability, pool, rank, dueAt: row.due_at, through: way.through })
      }
    }
  }
  found.sort((a, b) => a.rank - b.rank || a.dueAt - b.dueAt || a.id - b.id)
  const take: Candidate[] = []
  for (const candidate of found) {
    if (take.length === limit) break
    if (rooms.enter(candidate)) take.push(candidate)
    else lookWhenOpener(candidate.through ?? candidate.pool)
  }
  return { take, nextAt }
}

/** How many more may start, by all limits. */
class Rooms {
  readonly #capabilities = new Map<string, number>()
  readonly #providers = new Map<string, number>()

  constructor(
    limits: ClaimRequest['limits'],
    accesses: Accesses,
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
  enter({ capability, pool, through }: Candidate): boolean {
    const by = through ?? pool
    if (this.ofCapability(capability) <= 0 || this.ofProvider(by) <= 0) return false
    this.#capabilities.set(capability, this.ofCapability(capability) - 1)
    this.#providers.set(by, this.ofProvider(by) - 1)
    return true
  }
}
