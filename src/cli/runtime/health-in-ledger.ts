import { Lookout } from '../../ledger/lookout.ts'
import type { NodeHealth as Health } from '../../process/node-health.ts'
import { changesAdmission, type HealthEvent } from '../../provider/event.ts'
import { ServedProviders } from '../../queue/served-providers.ts'
import type { StoredLedger } from '../../queue/stored-ledger.ts'
import { cleaningUp } from '../../time/clean-up.ts'
import type { Time } from '../../time/time.ts'

/**
 * Records in the ledger which providers this process found blocked or available again. Other processes then act on it,
 * and people are notified, even while no daemon runs.
 */
export class HealthInLedger {
  readonly #lookout: Lookout
  readonly #served: ServedProviders
  #isBegun = false

  /** @param health a function, because health is made after this object */
  constructor(ledger: StoredLedger, health: () => Health, time: Time) {
    this.#served = new ServedProviders({ ledger, health, onError: warn })
    this.#lookout = new Lookout({
      time,
      look: async () => {
        // Loaded only now, because most commands change nothing.
        const [{ engineOn }, { ProviderHolds }] = await Promise.all([
          import('../../queue/stored-ledger.ts'),
          import('../../queue/provider-holds.ts'),
        ])
        const engine = await engineOn(ledger)
        const holds = new ProviderHolds({ health: health(), engine, time, report: warn })
        await cleaningUp(
          () => holds.reset(),
          () => holds.close(),
          () => engine.close(),
        )
      },
      onError: warn,
    })
  }

  readonly onEvent = (event: HealthEvent): void => {
    this.#served.onEvent(event)
    if (!changesAdmission(event)) return
    this.#isBegun = true
    this.#lookout.soon()
  }

  /** Records the remaining changes. */
  async close(): Promise<void> {
    if (this.#isBegun) await this.#lookout.now()
    await this.#lookout.close()
    await this.#served.close()
  }
}

/** Only warns: the health itself is already in the ledger, so the call is not affected. */
function warn(problem: unknown): void {
  process.emitWarning(`cannot record blocked providers in the ledger: ${wordsOf(problem)}`, {
    code: 'MULLIGAN_LEDGER',
  })
}

function wordsOf(problem: unknown): string {
  const error = problem instanceof Error ? problem : (problem as { error?: unknown }).error
  return error instanceof Error ? error.message : String(error)
}
