import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SqliteLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import type { Pausable, Pauses } from '../engine.ts'
import type { Claiming } from './claim.ts'
import type { Gates } from './gates.ts'

/** Pauses of the queue and of capabilities stop claims; pauses of providers close their gates. */
export class Pausing {
  readonly #ledger: SqliteLedger
  readonly #gates: Gates
  readonly #claiming: Claiming
  readonly #add: StatementSync
  readonly #remove: StatementSync
  readonly #all: StatementSync

  constructor(ledger: SqliteLedger, db: DatabaseSync, gates: Gates, claiming: Claiming) {
    this.#ledger = ledger
    this.#gates = gates
    this.#claiming = claiming
    this.#add = db.prepare('INSERT OR IGNORE INTO pauses (kind, name) VALUES (?, ?)')
    this.#remove = db.prepare('DELETE FROM pauses WHERE kind = ? AND name = ?')
    this.#all = db.prepare('SELECT kind, name FROM pauses ORDER BY name')
  }

  pause(what: Pausable): Promise<void> {
    return this.#ledger.transaction(writes => {
      const changed =
        'provider' in what ? this.#gates.pause(what.provider) : this.#add.run(...rowOf(what)).changes > 0
      if (changed) writes.tell('paused', { ...what })
    })
  }

  resume(what: Pausable): Promise<void> {
    return this.#ledger.transaction(writes => {
      const now = this.#ledger.time.now()
      if (!('provider' in what)) {
        if (this.#remove.run(...rowOf(what)).changes > 0) writes.tell('resumed', { ...what })
        return
      }
      if (!this.#gates.resume(what.provider, now)) return
      writes.tell('resumed', { ...what })
      if (this.#gates.read(now).get(what.provider)?.state === 'opening')
        this.#claiming.freed(what.provider, now, writes)
    })
  }

  unblock(provider: string): Promise<void> {
    return this.#ledger.transaction(writes => {
      const now = this.#ledger.time.now()
      if (this.#gates.unblock(provider, now) && this.#gates.read(now).get(provider)?.state === 'opening')
        this.#claiming.freed(provider, now, writes)
    })
  }

  list(): Pauses {
    const rows = this.#all.all() as unknown as { kind: string; name: string }[]
    return {
      queue: rows.some(({ kind }) => kind === 'queue'),
      capabilities: rows.filter(({ kind }) => kind === 'capability').map(({ name }) => name),
      providers: this.#gates.paused(),
    }
  }
}

function rowOf(what: { queue: true } | { capability: string }): [string, string] {
  return 'queue' in what ? ['queue', ''] : ['capability', what.capability]
}
