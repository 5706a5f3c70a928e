import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SurfaceStub } from '../../test/notice/stub.ts'
import { CapabilityRegistry } from '../capability/registry.ts'
import { readConfig } from '../config/read.ts'
import type { Inserted } from '../ledger/ledger.ts'
import { type OpenedQueue, openQueue } from '../queue/open.ts'
import { realTime } from '../time/time.ts'
import { deliveryCapabilities, NoticeService } from './notice-service.ts'

let stub: SurfaceStub
let data: string
let queue: OpenedQueue
let service: NoticeService
const errors: unknown[] = []
const untold: string[] = []

beforeEach(async () => {
  errors.length = untold.length = 0
  stub = await SurfaceStub.start()
  data = mkdtempSync(join(tmpdir(), 'mulligan-service-'))
})
afterEach(async () => {
  await service.stop()
  expect(await queue.ledger.check()).toEqual([])
  await queue.close()
  await stub.close()
  rmSync(data, { recursive: true, force: true })
  expect(errors).toEqual([])
})

async function begin(toml: string): Promise<void> {
  const { surfaces } = readConfig(toml, undefined).trust().config
  const registry = new CapabilityRegistry()
  const env = { TOKEN: 'a-token-of-the-test' }
  queue = await openQueue({ data, capabilities: registry, env })
  const host = { base: data, env, now: Date.now }
  for (const capability of deliveryCapabilities(surfaces, { ledger: queue.ledger, host }))
    registry.add(capability)
  service = new NoticeService({
    ledger: queue.ledger,
    engine: queue.engine,
    surfaces,
    time: realTime,
    onError: error => errors.push(error),
    onUntold: ({ type }) => untold.push(type),
  })
  await queue.runner().start()
  await service.start()
}

const surface = (name: string, more: string) => `[[surface]]\nname = "${name}"\n${more}\n`
const telegram = (more = 'gather = "0s"') =>
  surface('phone', `kind = "telegram"\ntoken = "env:TOKEN"\nchat = "1"\nbase_url = "${stub.url}"\n${more}`)

async function die(count: number, source = 'run'): Promise<void> {
  await queue.ledger.transaction(writes => {
    const made = Array.from({ length: count }, (_, n) => ({ capability: `w${n}`, params: {}, source }))
    for (const { id } of writes.insert(made) as readonly Inserted[]) writes.cancel(id, 'for the test')
  })
}

/** The deliveries, once this many have ended. */
async function ended(count: number) {
  for (;;) {
    // Listen before looking, so no change is missed in between.
    const changed = Promise.withResolvers<void>()
    const stop = queue.ledger.onChange(changed.resolve)
    try {
      const { items } = await queue.ledger.deliveries({}, { limit: 500 })
      const open = items.filter(({ state }) => state === 'pending')
      if (items.length >= count && open.length === 0) return items
      await changed.promise
    } finally {
      stop()
    }
  }
}

describe('an event', () => {
  it('reaches a surface, and the delivery says where it is', async () => {
    await begin(telegram())
    await die(1)
    expect(await ended(1)).toMatchObject([{ surface: 'phone', state: 'delivered', reference: 'message 1' }])
    expect(stub.texts('telegram')[0]).toContain('w0 was cancelled')
  })

  it('that happens many times at once becomes one message with a count', async () => {
    await begin(telegram('gather = "1s"'))
    await die(30)
    expect(await ended(30)).toHaveLength(30)
    expect(stub.texts('telegram')).toHaveLength(1)
    expect(stub.texts('telegram')[0]).toMatch(/^30 operations ended without success\n/)
    expect(stub.texts('telegram')[0]).toContain('and 20 more')
  })

  it('of submitted work is told, unless a surface does not want it', async () => {
    await begin(
      telegram('gather = "0s"\nbackground = false') +
        surface('all', `kind = "webhook"\nurl = "${stub.url}/hook"\ngather = "0s"`),
    )
    await die(1, 'submit')
    await ended(1)
    expect(stub.texts('telegram')).toEqual([])
    expect(stub.texts('webhook')).toHaveLength(1)
  })

  it('from before a surface existed is not sent to it', async () => {
    await begin(telegram())
    await die(1)
    await ended(1)
    await service.stop()
    await queue.close()
    await begin(telegram() + surface('new', `kind = "webhook"\nurl = "${stub.url}/hook"\ngather = "0s"`))
    await die(1)
    await ended(3)
    expect(stub.texts('webhook')).toHaveLength(1)
    expect(stub.texts('telegram')).toHaveLength(2)
  })

  it('reaches the others while one surface refuses it', async () => {
    await begin(
      surface('slow', `kind = "webhook"\nurl = "${stub.url}/nothing-here"\ngather = "0s"`) + telegram(),
    )
    await die(1)
    const all = await ended(2)
    expect(all.map(({ surface: name, state }) => [name, state]).sort()).toEqual([
      ['phone', 'delivered'],
      ['slow', 'failed'],
    ])
    // What happened, not only what follows from it.
    expect(all.find(({ state }) => state === 'failed')?.reason).toBe('Not Found')
    // Deliveries make no notices of their own.
    expect((await queue.ledger.notices({}, { limit: 10 })).items).toHaveLength(1)
  })

  it('that no surface wants goes to the `onUntold` callback', async () => {
    await begin('')
    await die(1)
    await service.look()
    expect(untold).toEqual(['dead'])
  })
})
