import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ledgerConformance } from '../../../test/ledger/conformance/ledger-conformance.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { openLedger } from './sqlite-ledger.ts'

ledgerConformance('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-ledger-'))
  const time = new FakeTime()
  const file = join(folder, 'ledger.db')
  const ledger = await openLedger({ file, time })
  const other = await openLedger({ file, time })
  return {
    ledger,
    other,
    time,
    close: async () => {
      await ledger.close()
      await other.close()
      rmSync(folder, { recursive: true })
    },
  }
})
