import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../test/ledger/postgres/schema.ts'
import { CapabilityRegistry } from '../capability/registry.ts'
import { SECRET_KEY_VARIABLE } from '../capability/secret/key.ts'
import { Secrets } from '../capability/secret/secrets.ts'
import { openLedger } from '../ledger/sqlite/sqlite-ledger.ts'
import { NodeHealth } from '../process/node-health.ts'
import { scriptedCapability } from '../testing/scripted.ts'
import { realTime, type Time } from '../time/time.ts'
import { Queue } from './queue.ts'
import { engineOn, type StoredLedger } from './stored-ledger.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const KEY = Buffer.alloc(32).toString('base64')

/** On a busy machine, a second is not enough. */
const eventually = (read: () => unknown) => expect.poll(read, { timeout: 20_000 })

/** The real clock, which a test can set forward. */
function movable() {
  let ahead = 0
  const time: Time = { ...realTime, now: () => realTime.now() + ahead }
  return { time, forward: (ms: number) => (ahead += ms) }
}

const suite = (title: string, open: (time: Time) => Promise<StoredLedger>) =>
  describe(title, () => {
    it.each([
      ['billing', 'payment', HOUR, 1],
      ['auth', 'login', MINUTE, 3],
    ] as const)(
      'after %s, one operation that waits for a %s goes through per interval, and its success moves the others',
      async (kind, parkedFor, intervalMs, operations) => {
        const { time, forward } = movable()
        const ledger = await open(time)
        const fails = { fails: { kind, effect: 'none', scope: 'account' } } as const
        const { capability, script } = scriptedCapability({
          ...{ name: 'work', provider: kind, script: [fails, fails] },
        })
        const health = new NodeHealth({
          ...{ time, store: ledger.providers },
          providers: [{ id: kind, credential: () => 'key' }],
        })
        const engine = await engineOn(ledger)
        const queue = new Queue({
          ...{ ledger, health, time },
          engine,
          registry: new CapabilityRegistry([capability]),
          secrets: new Secrets({ folder: tmpdir(), env: { [SECRET_KEY_VARIABLE]: KEY } }),
        })
        const tries = () => script.tries.length
        /** A runner looks what it can continue when it starts. */
        const look = async () => {
          await runner.stop()
          runner = queue.runner()
          await runner.start()
        }
        const count = async (state: 'parked' | 'succeeded') =>
          (
            await ledger.list(
              { state, provider: kind, ...(state === 'parked' ? { parkedFor } : {}) },
              { limit: 9 },
            )
          ).items.length
        // A policy decided about this one, so it waits for a person, and for nothing else.
        const { id: decided } = await queue.submit('work', {}, { at: realTime.now() + 999 * HOUR })
        await ledger.transaction(writes => writes.park(decided, { for: parkedFor, reason: 'a rule' }))
        let runner = queue.runner()
        await runner.start()
        for (let index = 0; index < operations; index++) {
          await queue.submit('work')
          // The first is refused and parked, the others are held: one that is claimed before the engine hears of it would be parked.
          await eventually(async () => (await engine.blocks()).has(kind)).toBe(true)
        }
        await eventually(() => count('parked')).toBe(2)
        expect(tries()).toBe(1)
        await look()
        expect(tries()).toBe(1)
        forward(intervalMs)
        await look()
        await eventually(() => tries()).toBe(2)
        // A runner that stops before a run has ended hands it on, and it would be tried a third time.
        await eventually(async () => (await ledger.counts({ provider: kind })).states.running).toBe(0)
        await look()
        await look()
        expect(tries()).toBe(2)
        expect(await count('succeeded')).toBe(0)
        await queue.cancel(decided)
        forward(2 * intervalMs)
        await look()
        await eventually(() => count('succeeded')).toBe(operations)
        expect(tries()).toBe(operations + 2)
        await runner.stop()
        await queue.close()
        await ledger.close()
      },
      60_000,
    )
  })

const folder = mkdtempSync(join(tmpdir(), 'mulligan-found-out-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0
suite('on SQLite', time => openLedger({ file: join(folder, `${files++}.db`), time }))
if (hasPostgres) {
  const { url } = testSchema()
  suite('on PostgreSQL', async time => {
    const { openPostgresLedger } = await import('../ledger/postgres/postgres-ledger.ts')
    return openPostgresLedger({ database: url, connections: 4, time })
  })
} else describe.skip(WITHOUT_POSTGRES, () => it('is tested elsewhere', () => {}))
