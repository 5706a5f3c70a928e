import { tmpdir } from 'node:os'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../test/ledger/postgres/schema.ts'
import { CapabilityRegistry } from '../capability/registry.ts'
import { SECRET_KEY_VARIABLE } from '../capability/secret/key.ts'
import { Secrets } from '../capability/secret/secrets.ts'
import { openLedger } from '../ledger/sqlite/sqlite-ledger.ts'
import { scriptedCapability } from '../testing/scripted.ts'
import { type TestQueue, testQueue } from '../testing/test-queue.ts'
import { scheduleStatuses } from './cron-status.ts'
import { Queue } from './queue.ts'
import { engineOn, type StoredLedger } from './stored-ledger.ts'

const MINUTE = 60_000
const KEY = Buffer.alloc(32).toString('base64')

async function queueOn(ledger: StoredLedger): Promise<Queue> {
  return new Queue({
    ledger,
    engine: await engineOn(ledger),
    registry: new CapabilityRegistry([scriptedCapability({ name: 'work' }).capability]),
    secrets: new Secrets({ folder: tmpdir(), env: { [SECRET_KEY_VARIABLE]: KEY } }),
  })
}

/** What only reads. Anything else counts as a write: too many deaths harm nothing. */
const READS = new Set(['read', 'setting', 'list', 'spent', 'onChange', 'events', 'runners', 'keepInStep'])

/** The ledger of a process that is killed at its write number `last`: that one and all later ones never happen. */
function killedAt<T extends StoredLedger>(ledger: T, last: number) {
  let count = 0
  const killed = Promise.withResolvers<'killed'>()
  const dying = <O extends object>(object: O): O =>
    new Proxy(object, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (name === 'providers') return dying(value as object)
        if (typeof value !== 'function') return value
        if (READS.has(String(name))) return value.bind(target)
        return (...given: unknown[]) => {
          if (count++ < last) return value.apply(target, given)
          killed.resolve('killed')
          return new Promise(() => {})
        }
      },
    })
  return { ledger: dying(ledger), killed: killed.promise }
}

const VERBS: Readonly<Record<string, (queue: Queue, provider: string) => Promise<unknown>>> = {
  'queue.pause': (queue, provider) => queue.pause({ provider }),
  'queue.resume': (queue, provider) => queue.resume({ provider }),
  'health.pause with an end': ({ health, time }, provider) =>
    health.pause(provider, 'audit', time.now() + MINUTE),
  'health.resume': ({ health }, provider) => health.resume(provider),
}

const suite = (title: string, open: () => Promise<StoredLedger>) =>
  describe(title, () => {
    let ledger: StoredLedger
    afterAll(() => ledger.close())

    it.each(Object.keys(VERBS))(
      '%s, killed at any write, leaves health, holds, events and claims that agree',
      async name => {
        ledger ??= await open()
        const verb = VERBS[name] as (typeof VERBS)[string]
        let outcomes = ''
        for (let last = 0, end = ''; end !== 'done'; last++) {
          const provider = `${name} ${last}`
          if (name.endsWith('resume')) {
            const before = await queueOn(ledger)
            await before.pause({ provider })
            await before.submit('work', { provider }, { providers: [provider] })
            await before.engine.claim({ runner: 'r', capabilities: ['work'], limit: 9 })
            await before.engine.close()
            await before.close()
          }
          const mortal = killedAt(ledger, last)
          const process = await queueOn(mortal.ledger)
          end = await Promise.race([verb(process, provider).then(() => 'done'), mortal.killed])
          const after = await queueOn(ledger)
          const { id } = await after.submit('work', {}, { providers: [provider] })
          const status = (await after.health.status()).find(each => each.id === provider)
          const isPaused = status?.admits === false
          expect((await after.engine.pauses()).providers.includes(provider)).toBe(isPaused)
          const { runs } = await after.engine.claim({ runner: 'r', capabilities: ['work'], limit: 9 })
          const isClaimed = runs.some(({ operation }) => operation.providers.includes(provider))
          expect(isClaimed).toBe(!isPaused)
          const now = await ledger.get(id)
          // After a resume, it waits until its provider has opened.
          if (isPaused) expect(now).toMatchObject({ state: 'scheduled', heldBy: provider })
          const told = await ledger.events({ types: ['paused', 'resumed'], limit: 1_000 })
          expect(told.findLast(({ data }) => data?.provider === provider)?.type === 'paused').toBe(isPaused)
          for (const { fence } of runs) await after.engine.settle(fence, { succeeded: true })
          await after.engine.close()
          await after.close()
          outcomes += isPaused ? 'p' : 'r'
          // A process that dies at its hundredth write is one that never ends.
          expect(last).toBeLessThan(100)
        }
        // Before the first write nothing has changed, after it everything has.
        expect(outcomes).toMatch(name.includes('pause') ? /^rp+$/ : /^pr+$/)
        expect(await ledger.check()).toEqual([])
      },
    )

    it.each(['pause', 'resume'] as const)(
      '%s of a schedule, killed at any write, leaves its status and its events in agreement',
      async verb => {
        ledger ??= await open()
        let outcomes = ''
        for (let last = 0, end = ''; end !== 'done'; last++) {
          const name = `${verb} ${last}`
          const after = await queueOn(ledger)
          if (verb === 'resume') await after.pause({ schedule: name })
          const mortal = killedAt(ledger, last)
          const process = await queueOn(mortal.ledger)
          end = await Promise.race([process[verb]({ schedule: name }).then(() => 'done'), mortal.killed])
          const schedule = { name, cron: '@daily', capability: 'work' }
          const [status] = await scheduleStatuses(ledger, [schedule], after.time.now())
          const isPaused = status?.paused !== undefined
          expect(status?.nextAt === undefined).toBe(isPaused)
          const told = await ledger.events({ types: ['paused', 'resumed'], limit: 1_000 })
          expect(told.findLast(({ data }) => data?.schedule === name)?.type === 'paused').toBe(isPaused)
          await after.engine.close()
          await after.close()
          outcomes += isPaused ? 'p' : 'r'
        }
        expect(outcomes).toBe(verb === 'pause' ? 'rp' : 'pr')
      },
    )
  })

suite('a pause on SQLite', () => openLedger({ file: ':memory:' }))
if (hasPostgres) {
  const { url } = testSchema()
  suite('a pause on PostgreSQL', async () => {
    const { openPostgresLedger } = await import('../ledger/postgres/postgres-ledger.ts')
    return openPostgresLedger({ database: url, connections: 4 })
  })
} else describe.skip(WITHOUT_POSTGRES, () => it('is tested elsewhere', () => {}))

describe('the pause of a provider', () => {
  let kit: TestQueue
  let tries: readonly unknown[]
  beforeEach(async () => {
    const { capability, script } = scriptedCapability({ name: 'work', provider: 'a' })
    tries = script.tries
    kit = await testQueue({ capabilities: [capability] })
  })
  afterEach(() => kit.time.until(kit.queue.close()))

  it('holds work in every process until it is resumed in any of them', async () => {
    const { queue, time } = kit
    await queue.runner().start()
    await queue.pause({ provider: 'a' })
    await queue.submit('work')
    await time.advance(5 * MINUTE)
    expect(tries).toHaveLength(0)
    await queue.resume({ provider: 'a' })
    await time.advance(1_000)
    expect(tries).toHaveLength(1)
  })

  it('ends at its time for health and work alike, without anybody who ends it', async () => {
    const { queue, time } = kit
    await queue.runner().start()
    await queue.health.pause('a', 'audit', time.now() + MINUTE)
    await queue.submit('work')
    await time.advance(MINUTE - 1_000)
    expect(tries).toHaveLength(0)
    const [status] = await queue.health.status()
    expect(status).toMatchObject({ admits: false, until: time.now() + 1_000 })
    expect(status?.reason).toBe(
      `paused by a person until ${new Date(time.now() + 1_000).toISOString().replace('.000Z', 'Z')}: audit`,
    )
    await time.advance(2_000)
    expect(tries).toHaveLength(1)
    expect((await queue.engine.pauses()).providers).toEqual([])
  })

  it('is reported as over once, and not while a later pause is in force', async () => {
    const { queue, time } = kit
    const { health } = queue
    await health.pause('a', 'audit', time.now() + MINUTE)
    expect(await health.endPauses()).toEqual([])
    await time.advance(MINUTE)
    expect(await health.endPauses()).toEqual(['a'])
    expect(await health.endPauses()).toEqual([])
    await health.pause('a', 'audit', time.now() + MINUTE)
    await queue.pause({ provider: 'a' })
    await time.advance(2 * MINUTE)
    expect(await health.endPauses()).toEqual([])
    expect((await queue.engine.pauses()).providers).toEqual(['a'])
    const told = await queue.ledger.events({ types: ['paused', 'resumed'] })
    expect(told.map(({ type }) => type)).toEqual(['paused', 'resumed', 'paused'])
  })
})
