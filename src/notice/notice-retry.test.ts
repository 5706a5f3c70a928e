import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../config/read.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { SqliteLedger } from '../ledger/sqlite/sqlite-ledger.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { memoryLedger } from '../testing/memory-ledger.ts'
import { NoticeService } from './notice-service.ts'

const TOML =
  '[[surface]]\nname = "phone"\nkind = "telegram"\ntoken = "env:TOKEN"\nchat = "1"\ngather = "0s"\n'

let time: FakeTime
let ledger: SqliteLedger
let service: NoticeService
let errors: unknown[]
/** The read that fails for now. */
let broken: keyof Ledger | undefined

beforeEach(async () => {
  time = new FakeTime()
  ledger = await memoryLedger({ time })
  errors = []
  broken = undefined
  const failing = new Proxy(ledger, {
    get(target, name) {
      if (name === broken) return () => Promise.reject(new Error('disk I/O error'))
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  service = new NoticeService({
    ledger: failing,
    engine: { wake: async () => {} },
    surfaces: readConfig(TOML, undefined).trust().config.surfaces,
    time,
    onError: error => errors.push(error),
  })
  await service.start()
})
afterEach(async () => {
  await service.stop()
  await ledger.close()
})

describe('an event from while the ledger could not be read', () => {
  it.each(['lastEvent', 'notices'] as const)(
    'is reported once %s works again, without any further event',
    async name => {
      broken = name
      await ledger.transaction(writes => {
        for (const { id } of writes.insert([{ capability: 'work', params: {}, source: 'run' }]))
          writes.cancel(id, 'for the test')
      })
      await time.advance(1_000)
      expect(errors).toContainEqual(new Error('disk I/O error'))
      expect((await ledger.deliveries()).items).toEqual([])
      broken = undefined
      await time.advance(60_000)
      expect((await ledger.deliveries()).items).toMatchObject([{ surface: 'phone', state: 'pending' }])
    },
  )
})
