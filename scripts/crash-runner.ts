import { appendFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { ClaimLoop } from '../src/engine/claim-loop.ts'
import { EmbeddedEngine } from '../src/engine/embedded/embedded-engine.ts'
import type { Fence } from '../src/ledger/operation.ts'
import type { Settled, Settlement } from '../src/ledger/settlement.ts'
import { openLedger } from '../src/ledger/sqlite/sqlite-ledger.ts'

// A runner of the crash test. It writes the effect of each run to a log outside the ledger, and may be killed or stopped
// at any moment. Arguments: the ledger, the log of effects, the log of refused settles, the lease in milliseconds.
const [file, effects, refusals, leaseMs] = process.argv.slice(2) as [string, string, string, string]
const ledger = await openLedger({ file })
const id = `runner-${process.pid}`

/** Logs refused settles. */
class WatchedEngine extends EmbeddedEngine {
  override async settle(fence: Fence, settlement: Settlement): Promise<Settled> {
    const settled = await super.settle(fence, settlement)
    if (!settled.settled) appendFileSync(refusals, `${fence.id} ${fence.run}\n`)
    return settled
  }
}
const engine = new WatchedEngine({ ledger })

const about = { reason: 'chance', rule: 'crash' }
const pause = () => delay(Math.random() * 20)

const runner = new ClaimLoop({
  engine,
  ledger,
  id,
  capabilities: ['effect'],
  concurrency: 8,
  leaseMs: Number(leaseMs),
  work: async ({ fence, operation }): Promise<Settlement> => {
    const startedAt = Date.now()
    await pause()
    appendFileSync(effects, `${fence.id} ${fence.run} ${id}\n`)
    await pause()
    const [provider] = operation.providers
    const attempt = { startedAt, endedAt: Date.now(), ...(provider === undefined ? {} : { provider }) }
    const dice = Math.random()
    if (dice < 0.05 && operation.retries < 5)
      return { verdict: { action: 'retry', delayMs: 50, mode: 'again', ...about }, attempt }
    if (dice < 0.08)
      return { verdict: { action: 'snooze', until: Date.now() + 100, mode: 'again', ...about }, attempt }
    if (dice < 0.1) return { verdict: { action: 'cancel', as: 'refused', ...about }, attempt }
    return { succeeded: true, result: fence.run, attempt }
  },
  onError: error => process.stderr.write(`${id}: ${error instanceof Error ? error.message : error}\n`),
})
await runner.start()
process.once('SIGTERM', () => {
  void runner.stop({ graceMs: 5_000 }).then(async () => {
    await engine.close()
    await ledger.close()
  })
})
