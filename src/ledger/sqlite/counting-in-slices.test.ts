import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { classify } from '../../failure/classify.ts'
import type { Failure } from '../../failure/failure.ts'
import type { OperationFilter } from '../filter.ts'
import { openForReading } from './connection.ts'
import { Listing } from './listing.ts'
import { openLedger, type SqliteLedger } from './sqlite-ledger.ts'

const SIZE = 2_000
const failure = classify({ status: 529, body: 'overloaded' }, { provider: 'claude' }) as Failure

const file = join(mkdtempSync(join(tmpdir(), 'mulligan-slices-')), 'ledger.db')
let ledger: SqliteLedger
beforeAll(async () => {
  ledger = await openLedger({ file })
  await ledger.transaction(writes => {
    for (let n = 0; n < SIZE; n += 1) {
      const providers = n % 4 === 0 ? ['codex'] : ['claude', 'codex']
      const [made] = writes.insert([{ capability: `c${n % 3}`, params: {}, providers }])
      const id = made?.id as string
      if (n % 2 === 0) continue
      const started = writes.start(id)
      const attempt = { startedAt: 0, endedAt: 1, failure }
      writes.settle(
        { id, run: started?.operation.run as number },
        { verdict: { action: 'cancel', as: 'refused', reason: 'no', rule: 'test' }, attempt },
      )
    }
  })
})
afterAll(() => ledger.close())

const FILTERS: OperationFilter[] = [
  {},
  { provider: 'claude' },
  { provider: 'nobody' },
  { class: 'transient' },
  { class: 'transient', provider: 'claude', state: 'dead' },
  { text: 'overloaded' },
  { text: 'overloaded', capability: 'c1' },
  { state: ['dead', 'scheduled'], provider: 'codex' },
  { ids: ['op_1', 'op_2'] },
  { class: 'transient', createdFrom: 1, createdBefore: 2 },
  { class: 'transient', createdFrom: 1 },
]

describe('counts', () => {
  it.each(FILTERS)('are exact with enough patience: %j', async filter => {
    const exact = await ledger.counts(filter)
    expect(await ledger.counts(filter, { patienceMs: 60_000 })).toEqual(exact)
    expect(exact.about).toBeUndefined()
  })

  it('are estimates without patience, and say so', async () => {
    const exact = await ledger.counts({ provider: 'claude' })
    const about = await ledger.counts({ provider: 'claude' }, { patienceMs: 0 })
    expect(about).toMatchObject({ about: true })
    for (const state of ['scheduled', 'dead'] as const) {
      expect(about.states[state]).toBeGreaterThan(exact.states[state] * 0.7)
      expect(about.states[state]).toBeLessThan(exact.states[state] * 1.3)
    }
    expect(about.total).toBe(Number(about.total.toPrecision(3)))
  })

  it('by state stay exact; only the reasons of dead operations are estimated', async () => {
    const db = openForReading(file)
    const listing = new Listing(db)
    const exact = listing.counts({}, Date.now())
    const about = listing.counts({}, Date.now(), 0)
    expect(about).toEqual({ ...exact, about: true })
    expect(exact.deadAs).toEqual({ refused: SIZE / 2 })
    expect(listing.counts({ state: 'scheduled' }, Date.now(), 0).about).toBeUndefined()
    db.close()
  })

  it('of an empty ledger are zero, even without patience', async () => {
    const empty = await openLedger({
      file: join(mkdtempSync(join(tmpdir(), 'mulligan-slices-')), 'ledger.db'),
    })
    expect(await empty.counts({ provider: 'claude' }, { patienceMs: 0 })).toMatchObject({ total: 0 })
    await empty.close()
  })
})
