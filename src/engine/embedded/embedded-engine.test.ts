import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
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

it('a claim that finds nothing takes no lock, also after a provider was closed and has opened fully', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-engine-'))
  const file = join(folder, 'ledger.db')
  const time = new FakeTime()
  const ledger = await openLedger({ file, time })
  const engine = new EmbeddedEngine({ ledger })
  const claim = () => engine.claim({ runner: 'r1', capabilities: ['a'], limit: 1 })
  await engine.block('p', 'cleared')
  await engine.unblock('p')
  await time.advance(60_000)
  await claim()
  const holder = new DatabaseSync(file)
  holder.exec('BEGIN IMMEDIATE')
  // It would wait for the lock, and time stands still.
  expect(await claim()).toEqual({ runs: [] })
  holder.close()
  await engine.close()
  await ledger.close()
  rmSync(folder, { recursive: true })
})
