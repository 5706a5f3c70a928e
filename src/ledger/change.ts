import type { Ledger } from './ledger.ts'

/** A change that somebody made, for the record of who did what. */
export interface Change {
  /** Who: `token ci`, `browser`, `jane on host7`, `agent claude-code/1f2e`. */
  by: string
  /** The way in: `http`, `command`, `mcp`, or a `button` of a message. */
  via: 'http' | 'command' | 'mcp' | 'button'
  /** What was done, as that way in names it: `retryOperation`, `ops retry`. */
  action: string
  /** What it was done to. Default: everything, or nothing in particular. */
  subject?: string
  /** Why, if they said so. */
  reason?: string
}

/** A change with its time. */
export interface RecordedChange extends Change {
  id: number
  /** Epoch milliseconds. */
  at: number
}

/** Records a change as an event, which is kept as long as others are. */
export async function recordChange(ledger: Pick<Ledger, 'transaction'>, change: Change): Promise<void> {
  await ledger.transaction(writes => writes.tell('changed', { ...change }))
}

/** Stands for what a damaged record does not say: one must not hide the others. */
const UNREADABLE: Change = { by: 'unknown', via: 'command', action: 'unreadable' }

/** How far back to look first, in events. */
const FIRST_LOOK = 5_000

/** The latest changes, newest first. */
export async function latestChanges(
  ledger: Pick<Ledger, 'events' | 'lastEvent'>,
  limit: number,
): Promise<RecordedChange[]> {
  const last = await ledger.lastEvent()
  let found: RecordedChange[] = []
  for (let look = FIRST_LOOK; ; look *= 8) {
    const from = Math.max(0, last - look)
    found = []
    for (let after = from; ; ) {
      const events = await ledger.events({ after, types: ['changed'], limit: 500 })
      found.push(...events.map(({ id, at, data }) => ({ ...UNREADABLE, ...(data as object), id, at })))
      const end = events.at(-1)
      if (!end || events.length < 500) break
      after = end.id
    }
    if (from === 0 || found.length >= limit) return found.reverse().slice(0, limit)
  }
}
