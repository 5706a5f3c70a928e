import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LedgerFolder } from '../../test/ledger/sqlite/ledger-folder.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { memoryLedger } from '../testing/memory-ledger.ts'
import type { LedgerEvent } from './event.ts'
import { EventReader, type EventReaderOptions, type Projection } from './event-reader.ts'
import { eventStream } from './event-stream.ts'
import type { SqliteLedger } from './sqlite/sqlite-ledger.ts'
import { resultOf } from './writing.ts'

/** Counts each event under its own fingerprint, so that a second projection of it shows. */
const counting =
  (events: readonly LedgerEvent[]): Projection =>
  writes => {
    for (const { id, at } of events)
      writes.recordUnknown({
        failure: {
          class: 'unknown',
          kind: 'unknown',
          effect: 'none',
          message: 'x',
          evidence: { rule: 'test', where: 'message', excerpt: 'x', lost: [] },
          fingerprint: `fp1:${id}`,
        },
        at,
        outcome: 'ended',
      })
  }

/** How often each event was projected, by event number. */
async function counted(ledger: SqliteLedger): Promise<Record<number, number>> {
  const { items } = await ledger.unknowns({}, { limit: 1_000 })
  return Object.fromEntries(items.map(({ fingerprint, count }) => [Number(fingerprint.slice(4)), count]))
}

const tell = (ledger: SqliteLedger, times = 1) =>
  ledger.transaction(writes => Array.from({ length: times }, () => writes.tell('paused', { queue: true })))

const once = (ids: readonly number[]) => Object.fromEntries(ids.map(id => [id, 1]))

describe('an event reader', () => {
  let time: FakeTime
  let ledger: SqliteLedger
  const readers: EventReader[] = []
  const errors: unknown[] = []
  const read = (more: Partial<EventReaderOptions>) => {
    const options = {
      ledger,
      time,
      types: ['paused'],
      onError: (error: unknown) => errors.push(error),
      ...more,
    }
    const reader = new EventReader(options as EventReaderOptions)
    readers.push(reader)
    return reader
  }
  beforeEach(async () => {
    time = new FakeTime()
    ledger = await memoryLedger({ time })
    errors.length = 0
  })
  afterEach(async () => {
    for (const reader of readers.splice(0)) await reader.stop()
    await ledger.close()
  })

  it('passes on new events, in order, and only the requested types', async () => {
    const seen: number[] = []
    await tell(ledger)
    const reader = read({ handle: events => void seen.push(...events.map(({ id }) => id)) })
    await reader.start()
    await ledger.transaction(writes => writes.tell('resumed', { queue: true }))
    const ids = await tell(ledger, 3)
    await reader.look()
    expect(seen).toEqual(ids)
    expect(reader.position).toBe(ids.at(-1))
  })

  it('reads more than one batch, and events written while it reads', async () => {
    const ids = [...(await tell(ledger, 450))]
    const seen: number[] = []
    const reader = read({
      from: 'beginning',
      handle: async events => {
        if (seen.length === 0) ids.push(...(await tell(ledger, 10)))
        seen.push(...events.map(({ id }) => id))
      },
    })
    await reader.start()
    expect(seen).toEqual(ids)
  })

  it('continues from the cursor of its name, in another process too', async () => {
    const seen: number[] = []
    const handle = (events: readonly LedgerEvent[]) => void seen.push(...events.map(({ id }) => id))
    const first = read({ consumer: 'c', from: 'beginning', handle })
    const ids = [...(await tell(ledger, 2))]
    await first.start()
    await first.stop()
    ids.push(...(await tell(ledger, 2)))
    await read({ consumer: 'c', handle }).start()
    expect(seen).toEqual(ids)
    expect(await ledger.cursor('c')).toBe(ids.at(-1))
  })

  it('starts from now under a new name by default', async () => {
    const [, last] = await tell(ledger, 2)
    await read({ consumer: 'new', project: counting }).start()
    expect(await counted(ledger)).toEqual({})
    expect(await ledger.cursor('new')).toBe(last)
  })

  it('retries automatically after a failure, and skips nothing', async () => {
    let isBroken = true
    const reader = read({
      consumer: 'c',
      project: events => {
        if (isBroken) throw new Error('broken')
        return counting(events)
      },
    })
    await reader.start()
    const ids = await tell(ledger, 3)
    await reader.look()
    expect(errors).toMatchObject([{ message: 'broken' }])
    isBroken = false
    await time.advance(1_000)
    await reader.look()
    expect(await counted(ledger)).toEqual(once(ids))
  })

  it('projects the events before one that fails, and none after it', async () => {
    const ids = await tell(ledger, 5)
    const reader = read({
      consumer: 'c',
      from: 'beginning',
      project: events => {
        if (events.some(({ id }) => id === ids[3])) throw new Error('this one')
        return counting(events)
      },
    })
    await reader.start()
    for (let n = 0; n < 5; n++) await reader.look()
    expect(await counted(ledger)).toEqual(once(ids.slice(0, 3)))
    expect(await ledger.cursor('c')).toBe(ids[2])
  })

  it('moves its cursor now and then even if no event matches, so that old events can be deleted', async () => {
    const reader = read({ consumer: 'c', project: counting })
    await tell(ledger)
    await reader.start()
    const other = () => ledger.transaction(writes => writes.tell('resumed', { queue: true }))
    await other()
    await reader.look()
    const before = await ledger.cursor('c')
    await other()
    await reader.look()
    expect(await ledger.cursor('c')).toBe(before)
    await time.advance(60_000)
    const last = await other()
    await reader.look()
    expect(await ledger.cursor('c')).toBe(last)
  })

  it('stops after the current events, or reads the rest first if asked', async () => {
    const seen: number[] = []
    const handle = (events: readonly LedgerEvent[]) => void seen.push(...events.map(({ id }) => id))
    const [first, second] = [read({ handle }), read({ handle })]
    await first.start()
    await second.start()
    await first.stop()
    const ids = await tell(ledger, 3)
    expect(seen).toEqual([])
    await second.stop({ rest: true })
    expect(seen).toEqual(ids)
    await tell(ledger)
    await second.look()
    expect(seen).toEqual(ids)
  })

  it('streams events to a loop until it is aborted, and throws read errors', async () => {
    const controller = new AbortController()
    const ids = await tell(ledger, 3)
    const seen: number[] = []
    const options = { ledger, time, from: 0, batch: 2, signal: controller.signal }
    for await (const events of eventStream(options)) {
      seen.push(...events.map(({ id }) => id))
      if (seen.length === 3) seen.push(...(await tell(ledger)))
      if (seen.length > 4) controller.abort()
    }
    expect(seen).toEqual([...ids, 4, 4])
    const broken = { ...options, signal: new AbortController().signal, ledger: brokenLedger(ledger) }
    await expect(eventStream(broken).next()).rejects.toThrow('unreadable')
  })

  it('reports a projection only if it wrote it, not if it was rolled back and another process wrote it', async () => {
    const done: string[] = []
    const project = (name: string) => () => () => done.push(`${name} writes`)
    // The first commit fails after the work; meanwhile another process reads the same events.
    let other: EventReader | undefined
    const failing = new Proxy(ledger, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        if (name !== 'transaction' || !other) return value.bind(target) as unknown
        return async (work: Parameters<SqliteLedger['transaction']>[0]) => {
          await ledger
            .transaction(writes => {
              void resultOf(work(writes))
              throw new Error('rolled back')
            })
            .catch(() => {})
          await other?.look()
          return ledger.transaction(work)
        }
      },
    })
    const reader = read({
      ledger: failing,
      consumer: 'c',
      from: 'beginning',
      project: project('this'),
      projected: () => done.push('this has projected'),
    })
    await reader.start()
    other = read({ consumer: 'c', from: 'beginning', project: project('other') })
    await tell(ledger)
    await reader.look()
    expect(done).toEqual(['this writes', 'other writes'])
  })

  it('projects each event once, with any number of readers and failures', async () => {
    const step = fc.record({
      told: fc.nat(4),
      by: fc.nat(2),
      fails: fc.constantFrom('no', 'before', 'within'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async steps => {
        const own = await memoryLedger({ time })
        let fails = 'no'
        const project = (events: readonly LedgerEvent[]): Projection => {
          if (fails === 'before') throw new Error('before')
          return writes => {
            counting(events)(writes)
            if (fails === 'within') throw new Error('within')
          }
        }
        const make = () =>
          new EventReader({
            ledger: own,
            time,
            consumer: 'c',
            from: 'beginning',
            types: ['paused'],
            batch: 2,
            onError: () => {},
            project,
          })
        const three = [make(), make(), make()]
        const ids: number[] = []
        for (const { told, by, fails: how } of steps) {
          ids.push(...(await tell(own, told)))
          fails = how
          await Promise.all([three[by]?.look(), three[(by + 1) % 3]?.look()])
        }
        fails = 'no'
        for (const reader of three) await reader.look()
        expect(await counted(own)).toEqual(once(ids))
        await Promise.all(three.map(reader => reader.stop()))
        await own.close()
      }),
      { numRuns: 40 },
    )
  })
})

function brokenLedger(ledger: SqliteLedger): EventReaderOptions['ledger'] {
  return {
    events: () => Promise.reject(new Error('unreadable')),
    lastEvent: () => ledger.lastEvent(),
    cursor: consumer => ledger.cursor(consumer),
    transaction: work => ledger.transaction(work),
    onChange: listener => ledger.onChange(listener),
  }
}

describe('two processes that read under the same name', () => {
  const site = new LedgerFolder()
  afterEach(() => site.close())

  /** Reads until it is killed: it kills itself at this point of its n-th projection, or never. */
  const program = (dieAt: number, point: 'before' | 'within' | 'after') => `
    const { EventReader } = await import(${JSON.stringify(new URL('./event-reader.ts', import.meta.url).href)})
    const ledger = await openLedger({ file })
    let n = 0
    const die = at => { if (n === ${dieAt} && at === ${JSON.stringify(point)}) process.kill(process.pid, 'SIGKILL') }
    const reader = new EventReader({
      ledger, time: ledger.time, consumer: 'c', from: 'beginning', types: ['paused'], batch: 3,
      onError: error => tell({ error: String(error) }),
      project: events => {
        if (n > 0) die('after')
        n++
        die('before')
        return writes => {
          for (const { id, at } of events)
            writes.recordUnknown({ at, outcome: 'ended', failure: { class: 'unknown', kind: 'unknown', effect: 'none',
              message: 'x', evidence: { rule: 'r', where: 'w', excerpt: 'x', lost: [] }, fingerprint: 'fp1:' + id } })
          die('within')
        }
      },
    })
    await reader.start()
    tell('caught up')
    for await (const order of { [Symbol.asyncIterator]: () => orders }) {
      await reader.look()
      tell('looked')
    }
    await reader.stop({ rest: true })
    await ledger.close()`

  it('project each event once, no matter which of them is killed or when', async () => {
    const ledger = await site.open()
    const ids: number[] = []
    for (const [round, point] of (['before', 'within', 'after', 'within'] as const).entries()) {
      ids.push(...(await tell(ledger, 20)))
      const [dies, lives] = [site.process(program(2 + round, point)), site.process(program(-1, point))]
      ids.push(...(await tell(ledger, 20)))
      expect(await lives.heard()).toBe('caught up')
      // Its own projection kills it, unless the other process was faster with all of them.
      const caughtUp = dies.heard().catch(() => undefined)
      if ((await caughtUp) !== undefined) dies.child.kill('SIGKILL')
      await dies.ended
      expect(await lives.ask('look')).toBe('looked')
      lives.child.kill('SIGKILL')
      await lives.ended
      expect(await counted(ledger)).toEqual(once(ids))
    }
    expect(await ledger.check()).toEqual([])
  })
})
