import { Lookout } from '../ledger/lookout.ts'
import { changesAdmission, type HealthEvent } from '../provider/event.ts'
import type { NodeHealth as Health } from '../provider/node-health.ts'
import type { StoredLedger } from '../queue/stored-ledger.ts'
import type { Time } from '../time/time.ts'

/**
 * Records in the ledger which providers this process found blocked or free again, in any command: other processes act
 * on it, and people hear of it, also while no daemon runs.
 */
export class HealthInLedger {
  readonly #lookout: Lookout
  #isBegun = false

  /** @param health asked when something has changed; it is made after this */
  constructor(ledger: StoredLedger, health: () => Health, time: Time) {
    this.#lookout = new Lookout({
      time,
      look: async () => {
        // Most commands change nothing, and need not load it.
        const [{ engineOn }, { ProviderHolds }] = await Promise.all([
          import('../queue/stored-ledger.ts'),
          import('../queue/provider-holds.ts'),
        ])
        const engine = await engineOn(ledger)
        const holds = new ProviderHolds({ health: health(), engine, time, report: warn })
        await holds.reset()
        await holds.close()
      },
      onError: warn,
    })
  }

  readonly onEvent = (event: HealthEvent): void => {
    if (!changesAdmission(event)) return
    this.#isBegun = true
    this.#lookout.soon()
  }

  /** Tells the rest. */
  async close(): Promise<void> {
    if (this.#isBegun) await this.#lookout.now()
    await this.#lookout.close()
  }
}

/** The call is not the worse for it: health itself is in the ledger already. */
function warn(problem: unknown): void {
  process.emitWarning(`cannot tell the ledger which providers are blocked: ${wordsOf(problem)}`, {
    code: 'MULLIGAN_LEDGER',
  })
}

function wordsOf(problem: unknown): string {
  const error = problem instanceof Error ? problem : (problem as { error?: unknown }).error
  return error instanceof Error ? error.message : String(error)
}
