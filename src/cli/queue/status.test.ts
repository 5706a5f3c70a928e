import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCommand } from '../../../test/cli/terminal.ts'
import { billDay } from '../../ledger/bill.ts'
import { LEDGER_NAME } from '../../ledger/location.ts'
import { openLedger } from '../../ledger/sqlite/sqlite-ledger.ts'

it('status says all that was spent today, by more sessions than its JSON lists', async () => {
  const data = mkdtempSync(join(tmpdir(), 'mulligan-status-'))
  const now = Date.now()
  const ledger = await openLedger({ file: join(data, LEDGER_NAME) })
  const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0, cacheWriteTokens: 0 }
  await ledger.addToBill(
    Array.from({ length: 80 }, (_, n) => ({
      at: billDay(now),
      client: n < 70 ? 'claude' : '',
      session: `s-${n}`,
      provider: 'p',
      model: 'm',
      tries: 1,
      failed: 0,
      unpriced: n === 0 ? 1 : 0,
      usd: 1,
      usage,
    })),
  )
  await ledger.close()
  const status = (...flags: string[]) => runCommand(['status', '--data', data, ...flags], { now })
  expect((await status()).stdout).toContain(
    'spent      $80.00 today (claude $70.00, unknown $10.00, without 1 try of unknown price)\n',
  )
  expect(JSON.parse((await status('--json')).stdout).spent_today).toHaveLength(50)
})
