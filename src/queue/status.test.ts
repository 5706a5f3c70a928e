import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { LEDGER_NAME } from '../ledger/location.ts'
import { RAMP_STEP_MS, RAMP_STEPS } from '../ledger/row/provider-access.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { scriptedCapability } from '../testing/scripted.ts'
import { openQueue } from './open.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'mulligan-status-'))

describe('the status of a queue', () => {
  it('waits for no writer: it is opened, read and closed without the lock', async () => {
    const data = folder()
    const made = await openQueue({ data })
    await made.submit('work', {}, { unchecked: true })
    await made.close()
    const writer = new DatabaseSync(join(data, LEDGER_NAME))
    writer.exec('BEGIN IMMEDIATE')
    const queue = await openQueue({ data })
    expect(await queue.status()).toMatchObject({ due: 1, held: 0 })
    await queue.close()
    writer.close()
  })

  it('counts as held what no provider can serve, and as due what one can', async () => {
    const time = new FakeTime()
    const alone = scriptedCapability({ name: 'alone', provider: 'p' }).capability
    const pool = scriptedCapability({ name: 'pool', pool: ['p', 'q'] }).capability
    const queue = await openQueue({ data: folder(), time, capabilities: [alone, pool] })
    const many = (capability: string) => Array.from({ length: 500 }, () => ({ capability }))
    await queue.submitMany([...many('alone'), ...many('pool')])
    expect(await queue.status()).toMatchObject({ due: 1_000, held: 0 })
    await queue.engine.block('p', time.now() + 60_000)
    expect(await queue.status()).toMatchObject({ due: 500, held: 500 })
    await queue.engine.block('q', time.now() + 50_000)
    // Those of the pool wait for the provider that is free first.
    const agenda = () => queue.ledger.agenda({ from: time.now(), stepMs: 1_000, steps: 1 })
    expect((await agenda()).held).toEqual({ p: 500, q: 500 })
    await queue.engine.block('q', time.now() + 60_000)
    expect(await queue.status()).toMatchObject({ due: 0, held: 1_000 })
    const claim = () => queue.engine.claim({ runner: 'r', capabilities: ['alone', 'pool'], limit: 1 })
    await claim()
    expect(await queue.status()).toMatchObject({ due: 0, held: 1_000 })
    // Both can be used again, but not for all at once.
    await time.advance(60_000)
    expect(await queue.status()).toMatchObject({ due: 0, held: 1_000 })
    await claim()
    expect(await queue.status()).toMatchObject({ due: 0, held: 999, running: 1 })
    await time.advance(RAMP_STEP_MS * RAMP_STEPS)
    expect(await queue.status()).toMatchObject({ due: 999, held: 0 })
    await queue.close()
  })
})
