import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SqliteLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import type { Pausable, Pauses } from '../engine.ts'
import type { Claimer } from './claim.ts'
import type { ProviderAccess } from './provider-access.ts'

/** Pauses of the queue and of capabilities stop claims; pauses of providers close their access. */
export class Pauser {
  readonly #ledger: SqliteLedger
  readonly #access: ProviderAccess
  readonly #claimer: Claimer
  readonly #add: StatementSync
  readonly #remove: StatementSync
  readonly #all: StatementSync

  constructor(ledger: SqliteLedger, db: DatabaseSync, access: ProviderAccess, claimer: Claimer) {
    this.#ledger = ledger
    this.#access = access
    this.#claimer = claimer
    this.#add = db.prepare('INSERT OR IGNORE INTO pauses (kind, name) VALUES (?, ?)')
    this.#remove = db.prepare('DELETE FROM pauses WHERE kind = ? AND name = ?')
    this.#all = db.prepare('SELECT kind, name FROM pauses ORDER BY name')
  }

  pause(what: Pausable): Promise<void> {
    return this.#ledger.transaction(writes => {
      const changed =
        'provider' in what ? this.#access.pause(what.provider) : this.#add.run(...rowOf(what)).changes > 0
      if (changed) writes.tell('paused', { ...what })
    })
  }

  async resume(what: Pausable): Promise<void> {
    if ('provider' in what) await this.#gather('resume', what.provider)
    return this.#ledger.transaction(writes => {
      const now = this.#ledger.time.now()
      if (!('provider' in what)) {
        if (this.#remove.run(...rowOf(what)).changes > 0) writes.tell('resumed', { ...what })
        return
      }
      if (!this.#access.resume(what.provider, now)) return
      writes.tell('resumed', { ...what })
      if (this.#access.read(now).get(what.provider)?.state === 'opening')
        this.#claimer.freed(what.provider, now, writes)
    })
  }

  async unblock(provider: string): Promise<void> {
    await this.#gather('unblock', provider)
    return this.#ledger.transaction(writes => {
      const now = this.#ledger.time.now()
      if (this.#access.unblock(provider, now) && this.#access.read(now).get(provider)?.state === 'opening')
        this.#claimer.freed(provider, now, writes)
    })
  }

  async #gather(change: 'resume' | 'unblock', provider: string): Promise<void> {
    if (this.#ledger.read(() => this.#access.opensBy(change, provider))) await this.#claimer.gather(provider)
  }

  list(): Pauses {
    const rows = this.#all.all() as unknown as { kind: string; name: string }[]
    return {
      queue: rows.some(({ kind }) => kind === 'queue'),
      capabilities: rows.filter(({ kind }) => kind === 'capability').map(({ name }) => name),
      providers: this.#access.paused(),
    }
  }
}

function rowOf(what: { queue: true } | { capability: string }): [string, string] {
  return 'queue' in what ? ['queue', ''] : ['capability', what.capability]
}
