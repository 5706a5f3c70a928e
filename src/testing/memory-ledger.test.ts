import { engineConformance } from '../../test/engine/conformance/engine-conformance.ts'
import { ledgerConformance } from '../../test/ledger/conformance/ledger-conformance.ts'
import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts'
import { FakeTime } from './core/fake-time.ts'
import { memoryLedger } from './memory-ledger.ts'

// No other process can open a ledger in memory, so both sides of each suite use the same ledger.

ledgerConformance('in memory', async () => {
  const time = new FakeTime()
  const ledger = await memoryLedger({ time })
  return { ledger, other: ledger, time, close: () => ledger.close() }
})

engineConformance('embedded in memory', async () => {
  const time = new FakeTime()
  const ledger = await memoryLedger({ time })
  const engine = new EmbeddedEngine({ ledger })
  const other = new EmbeddedEngine({ ledger })
  return {
    ledger,
    engine,
    other: { ledger, engine: other },
    time,
    close: async () => {
      await engine.close()
      await other.close()
      await ledger.close()
    },
  }
})
