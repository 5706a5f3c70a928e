import type { PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import type { PostgresTransaction } from '../../ledger/postgres/postgres-transaction.ts'
import type { BlockReason, Pausable, Pauses } from '../engine.ts'
import { UNTIL_CLEARED } from '../provider-access-state.ts'
import type { Claimer } from './claim.ts'
import { ProviderAccess, takeTurns } from './provider-access.ts'

/** What must not be claimed: blocked providers, and what a person paused. */
export class Closures {
  readonly #ledger: PostgresLedger
  readonly #claimer: Claimer

  constructor(ledger: PostgresLedger, claimer: Claimer) {
    this.#ledger = ledger
    this.#claimer = claimer
  }

  block(provider: string, until: number | 'cleared', why?: BlockReason): Promise<void> {
    return this.#ledger.transaction(async writes => {
      const end = until === 'cleared' ? UNTIL_CLEARED : until
      if (!(await new ProviderAccess(writes.sql).block(provider, end))) return
      await writes.tell('provider_blocked', {
        provider,
        ...(until === 'cleared' ? {} : { until }),
        ...(why?.failure ? { class: why.failure.class, kind: why.failure.kind } : {}),
        ...(why ? { cause: why.cause } : {}),
        ...(why?.reason === undefined ? {} : { reason: why.reason }),
      })
    })
  }

  unblock(provider: string): Promise<void> {
    return this.#open(provider, (access, now) => access.unblock(provider, now))
  }

  pause(what: Pausable): Promise<void> {
    return this.#ledger.transaction(async writes => {
      const changed =
        'provider' in what
          ? await new ProviderAccess(writes.sql).pause(what.provider)
          : (await writes.sql.run(
              'INSERT INTO pauses (kind, name) VALUES ($1, $2) ON CONFLICT DO NOTHING',
              pauseRow(what),
            )) > 0
      if (changed) await writes.tell('paused', { ...what })
    })
  }

  async resume(what: Pausable): Promise<void> {
    if ('provider' in what)
      await this.#open(what.provider, async (access, now, writes) => {
        const changed = await access.resume(what.provider, now)
        if (changed) await writes.tell('resumed', { ...what })
        return changed
      })
    else
      await this.#ledger.transaction(async writes => {
        const removed = await writes.sql.run(
          'DELETE FROM pauses WHERE kind = $1 AND name = $2',
          pauseRow(what),
        )
        if (removed > 0) await writes.tell('resumed', { ...what })
      })
  }

  pauses(): Promise<Pauses> {
    return this.#ledger.read(async sql => {
      const rows = await sql.rows<{ kind: string; name: string }>(
        'SELECT kind, name FROM pauses ORDER BY name',
      )
      return {
        queue: rows.some(({ kind }) => kind === 'queue'),
        capabilities: rows.filter(({ kind }) => kind === 'capability').map(({ name }) => name),
        providers: await new ProviderAccess(sql).paused(),
      }
    })
  }

  /** Opens the gate of a provider, after the operations that can use it have been moved to it. */
  async #open(
    provider: string,
    change: (access: ProviderAccess, now: number, writes: PostgresTransaction) => Promise<boolean>,
  ): Promise<void> {
    const { time } = this.#ledger
    const isClosed = await this.#ledger.read(async sql =>
      (await new ProviderAccess(sql).read(time.now())).has(provider),
    )
    if (isClosed) await this.#claimer.gather(provider)
    await this.#ledger.transaction(async writes => {
      await takeTurns(writes.sql)
      const access = new ProviderAccess(writes.sql)
      const now = time.now()
      if (!(await change(access, now, writes))) return
      if ((await access.read(now)).get(provider)?.state === 'opening')
        await this.#claimer.freed(provider, writes)
    })
  }
}

function pauseRow(what: { queue: true } | { capability: string }): [string, string] {
  return 'queue' in what ? ['queue', ''] : ['capability', what.capability]
}
