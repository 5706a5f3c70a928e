import { engineConformance } from '../engine/conformance/engine-conformance.ts'
import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts'
import { ledgerConformance } from '../ledger/conformance/ledger-conformance.ts'
import { FakeTime } from './fake-time.ts'
import { memoryLedger } from './memory-ledger.ts'

// Nobody else can see what is in the memory of this process: the other side of each suite is the same ledger.

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
