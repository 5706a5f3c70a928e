import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineCapability } from '../../capability/define.ts'
import { classify } from '../../failure/classify.ts'
import type { Failure } from '../../failure/failure.ts'
import { openQueue } from '../../queue/open.ts'
import { checkFile } from './check-file.ts'
import { SCHEMA_VERSION } from './migrations.ts'
import { openLedger } from './sqlite-ledger.ts'

// Written by version 0.1.0 itself: successes, one with a cut result, a dead operation, one that waits for a limit and
// one for its next retry, one parked for a login, one due later, a sealed secret, and two blocked providers.
const FIXTURE = new URL('../../../test/ledger/sqlite/ledger-0.1.0.db.gz', import.meta.url)

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mulligan-upgrade-'))
  writeFileSync(join(folder, 'ledger.db'), gunzipSync(readFileSync(FIXTURE)), { mode: 0o600 })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a ledger written by 0.1.0', () => {
  it('opens, keeps every operation with its history, and breaks no promise', async () => {
    const ledger = await openLedger({ file: join(folder, 'ledger.db') })
    expect(await ledger.check()).toEqual([])
    expect((await ledger.counts()).states).toEqual({
      scheduled: 3,
      running: 0,
      parked: 1,
      succeeded: 4,
      dead: 1,
    })
    const { items } = await ledger.list()
    for (const { id, attempts } of items) expect(await ledger.attempts(id)).toHaveLength(attempts)
    const cut = items.find(({ capability }) => capability === 'cut')
    expect(cut).toMatchObject({ state: 'succeeded', resultCut: true })
    expect(items.find(({ capability }) => capability === 'login')).toMatchObject({ parkedFor: 'login' })
    await ledger.close()
  })

  it('can be checked unchanged, before any upgrade', () => {
    const file = join(folder, 'ledger.db')
    const before = readFileSync(file)
    expect(checkFile(file)).toMatchObject({ findings: [], operations: 9 })
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('stores what is new: unknowns, labels, notices, deliveries, traces, workflow runs; and survives a copy', async () => {
    const ledger = await openLedger({ file: join(folder, 'ledger.db') })
    const failure = classify(new Error('the flux is out of phase'), { provider: 'vendor' }) as Failure
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    await ledger.transaction(writes => {
      writes.insert([{ capability: 'new', params: 1, trace: { traceparent } }])
      writes.recordUnknown({ failure, at: 1, outcome: 'ended' })
      writes.addLabel({ fingerprint: failure.fingerprint, class: 'transient', who: 'ann' })
      const notice = { key: 'k', type: 'unknown', priority: 'high', disposition: 'actionable' } as const
      const texts = { title: 'unknown failure', body: 'label it', expiresAt: Date.now() + 60_000 }
      const { id } = writes.addNotice({ ...notice, ...texts })
      writes.addDelivery({ notice: id, surface: 'slack' })
      writes.addWorkflowRun({ workflow: 'release', plan: {}, steps: 1, params: {}, by: 'ann' })
    })
    const copy = join(folder, 'copy.db')
    await ledger.backup(copy)
    await ledger.close()
    const again = await openLedger({ file: copy })
    expect(await again.check()).toEqual([])
    const [newest] = (await again.list({}, { limit: 1 })).items
    expect(newest).toMatchObject({ trace: { traceparent } })
    expect((await again.unknowns({ labelled: true })).items).toMatchObject([{ provider: 'vendor', count: 1 }])
    expect((await again.deliveries({ state: 'pending' })).items).toHaveLength(1)
    expect((await again.workflowRuns()).items).toMatchObject([{ workflow: 'release', state: 'running' }])
    await again.close()
  })

  it('continues: what waited for its retry runs, blocks apply, and opening it again changes nothing', async () => {
    const params = z.object({})
    const retries = defineCapability({ name: 'retries', params, retry: 'replay', run: () => 'at last' })
    const waits = defineCapability({
      name: 'waits',
      params,
      retry: 'replay',
      provider: 'vendor',
      run: () => 'too early',
    })
    const queue = await openQueue({ data: folder, capabilities: [retries, waits] })
    const { items } = await queue.ledger.list()
    const waiting = items.find(({ capability }) => capability === 'retries')
    await queue.retry(waiting?.id ?? '')
    await queue.runner().start()
    expect(await queue.wait(waiting?.id ?? '')).toMatchObject({ state: 'succeeded', result: 'at last' })
    const limited = items.find(({ capability }) => capability === 'waits')
    // Either the limit is long over by this machine's clock, or it still applies: nothing is lost either way.
    const { until = 0 } = (await queue.status()).providers.find(({ id }) => id === 'vendor') ?? {}
    expect(until > Date.now() || (await queue.wait(limited?.id ?? '')).state === 'succeeded').toBe(true)
    await queue.close()
    const again = await openLedger({ file: join(folder, 'ledger.db') })
    expect(await again.check()).toEqual([])
    await again.close()
  })

  it('is left unchanged by a program that is too old for it, with a message that says so', async () => {
    const file = join(folder, 'ledger.db')
    const db = new DatabaseSync(file)
    db.exec('PRAGMA user_version = 999')
    db.close()
    const before = readFileSync(file)
    await expect(openLedger({ file })).rejects.toMatchObject({
      code: 'newer',
      message: `${file} was written by a newer Mulligan (schema 999; this one knows ${SCHEMA_VERSION}): update Mulligan`,
    })
    expect(readFileSync(file).equals(before)).toBe(true)
  })
})
