import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engineConformance } from '../../../test/engine/conformance/engine-conformance.ts'
import { openLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { EmbeddedEngine } from './embedded-engine.ts'

engineConformance('embedded on SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-engine-'))
  const time = new FakeTime()
  const open = async () => {
    const ledger = await openLedger({ file: join(folder, 'ledger.db'), time })
    return { ledger, engine: new EmbeddedEngine({ ledger }) }
  }
  const [mine, other] = [await open(), await open()]
  return {
    ...mine,
    other,
    time,
    close: async () => {
      for (const { ledger, engine } of [mine, other]) {
        await engine.close()
        await ledger.close()
      }
      rmSync(folder, { recursive: true })
    },
  }
})
