import { describe, expect, it } from 'vitest'
import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { memoryLedger } from '../testing/memory-ledger.ts'
import { scriptedCapability } from '../testing/scripted.ts'
import { testQueue } from '../testing/test-queue.ts'
import type { Attended } from './startable.ts'

describe('a runner that starts', () => {
  it('does not wait for workflows that have much to catch up on, and reports why they cannot', async () => {
    const time = new FakeTime()
    const caughtUp = Promise.withResolvers<void>()
    const attendant = { start: () => caughtUp.promise, stop: async () => {} }
    const problems: unknown[] = []
    const { capability, script } = scriptedCapability({ name: 'work' })
    const { queue } = await testQueue({
      capabilities: [capability],
      time,
      workflows: [{ kind: Symbol('workflow'), attend: () => attendant }],
      onProblem: problem => problems.push(problem),
    })
    await time.until(queue.runner().start())
    const { id } = await queue.submit('work')
    await time.until(queue.wait(id))
    expect(script.tries).toHaveLength(1)
    const error = new Error('the ledger is gone')
    caughtUp.reject(error)
    await time.advance(1)
    expect(problems).toEqual([{ about: 'queue', error }])
    await time.until(queue.close())
  })

  it('does not wait for an upkeep that takes long, and finishes it when stopped', async () => {
    const time = new FakeTime()
    const ledger = await memoryLedger({ time })
    const engine = new EmbeddedEngine({ ledger })
    const maintained = Promise.withResolvers<{ parked: 0; unparked: 0; expired: 0; repaired: 0 }>()
    engine.maintain = () => maintained.promise
    const { capability, script } = scriptedCapability({ name: 'work' })
    const { queue } = await testQueue({ capabilities: [capability], time, ledger, engine })
    const runner = queue.runner()
    await time.until(runner.start())
    const { id } = await queue.submit('work')
    await time.until(queue.wait(id))
    expect(script.tries).toHaveLength(1)
    let isStopped = false
    const stopped = runner.stop().then(() => {
      isStopped = true
    })
    await time.advance(60_000)
    expect(isStopped).toBe(false)
    maintained.resolve({ parked: 0, unparked: 0, expired: 0, repaired: 0 })
    await time.until(stopped)
    await time.until(queue.close())
  })
})

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise<void>(resolve => setImmediate(resolve))
}

/** Counts the method calls on a ledger and an engine, and their listeners. Each call takes a few turns, as on a real database. */
class Watch {
  verbs: string[] = []
  underWay = 0
  listeners = 0
  /** Returns how many extra turns a call takes. */
  onVerb: (verb: string) => number = () => 0

  of<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (object, name) => {
        const value = Reflect.get(object, name, object)
        if (typeof value !== 'function') return value
        if (name === 'onChange' || name === 'onWork')
          return (listener: () => void) => this.#listen(value.call(object, listener))
        return (...args: unknown[]) => {
          this.verbs.push(String(name))
          const more = this.onVerb(String(name))
          const answer = value.apply(object, args)
          return answer instanceof Promise ? this.#slow(answer, more) : answer
        }
      },
    })
  }

  #listen(stop: () => void): () => void {
    this.listeners++
    return () => {
      this.listeners--
      stop()
    }
  }

  async #slow<T>(answer: Promise<T>, more: number): Promise<T> {
    this.underWay++
    try {
      return await answer
    } finally {
      await turns(3 + more)
      this.underWay--
    }
  }
}

/** A queue with a runner, one operation due later, one schedule and one kind of workflow. */
async function setUp(watch: Watch) {
  const time = new FakeTime()
  const ledger = await memoryLedger({ time })
  const attendants = { started: 0 }
  const workflow: Attended = {
    kind: Symbol('workflow'),
    attend: () => ({ start: async () => void attendants.started++, stop: async () => {} }),
  }
  const { queue } = await testQueue({
    time,
    ledger: watch.of(ledger),
    engine: watch.of(new EmbeddedEngine({ ledger })),
    capabilities: [scriptedCapability({ name: 'work', provider: 'claude' }).capability],
    workflows: [workflow],
  })
  await queue.submit('work', {}, { at: new Date(time.now() + 60_000) })
  const everyMinute = { name: 'every minute', cron: '* * * * *', capability: 'work', params: {} }
  const runner = queue.runner({ cron: [everyMinute] })
  watch.verbs = []
  return { time, ledger, queue, runner, attendants }
}

/** Calls that one step of a start may still make after a stop, including the withdrawal. */
const MOST_VERBS_OF_A_STEP = 4

describe('a runner that is told to stop while it starts', () => {
  it('finishes its current step, starts no other and leaves nothing behind, wherever the stop comes', async () => {
    const whole = new Watch()
    const complete = await setUp(whole)
    await complete.runner.start()
    const steps = whole.verbs.length
    await complete.queue.close()
    expect(steps).toBeGreaterThan(15)

    for (let step = 1; step <= steps; step++) {
      const where = `stopped at verb ${step}`
      const watch = new Watch()
      const { time, ledger, queue, runner, attendants } = await setUp(watch)
      const timersBefore = time.pending
      const listenersBefore = watch.listeners
      const stopAsked = new Promise<void>(resolve => {
        watch.onVerb = () => {
          if (watch.verbs.length !== step) return 0
          resolve()
          return 30
        }
      })
      const starting = runner.start()
      await stopAsked
      const startedBefore = attendants.started
      await runner.stop()
      expect(attendants.started, where).toBe(startedBefore)
      expect(watch.underWay, where).toBe(0)
      expect(watch.listeners, where).toBe(listenersBefore)
      await starting
      expect(watch.verbs.length - step, where).toBeLessThanOrEqual(MOST_VERBS_OF_A_STEP)
      expect(await ledger.runners(), where).toEqual([])
      // The queue itself checks its providers, which is not part of the runner.
      await time.advance(1_000)
      watch.verbs = []
      await ledger.setSetting('changed by another process', 1)
      await time.advance(600_000)
      expect(watch.verbs, where).toEqual([])
      expect(time.pending, where).toBe(timersBefore)
      await queue.close()
    }
  })

  it('starts nothing if the stop came first', async () => {
    const watch = new Watch()
    const { time, queue, runner, attendants } = await setUp(watch)
    await runner.stop()
    await runner.start()
    await time.advance(600_000)
    expect(watch.verbs).toEqual([])
    expect(attendants.started).toBe(0)
    await queue.close()
  })
})

describe('a runner that is told to stop while it runs', () => {
  it.each([
    ['its upkeep', 'maintain'],
    ['its schedule', 'setSetting'],
    ['a claim', 'claim'],
  ])('waits for %s in progress, and leaves nothing behind', async (_, verb) => {
    const watch = new Watch()
    const { time, queue, runner } = await setUp(watch)
    const { pending } = time
    const { listeners } = watch
    await runner.start()
    const isUnderWay = new Promise<void>(resolve => {
      watch.onVerb = called => {
        if (called !== verb) return 0
        resolve()
        return 30
      }
    })
    // The minute in which the upkeep, the schedule and the operation come due.
    await time.advance(60_000)
    await isUnderWay
    await runner.stop()
    expect(watch.underWay).toBe(0)
    expect(watch.listeners).toBe(listeners)
    await time.advance(1_000)
    expect(time.pending).toBe(pending)
    watch.verbs = []
    await time.advance(600_000)
    expect(watch.verbs).toEqual([])
    await queue.close()
  })

  it('cancels its timers while it has nothing to do', async () => {
    const { time, queue, runner } = await setUp(new Watch())
    const { pending } = time
    await runner.start()
    await time.advance(1_000)
    expect(time.pending).toBeGreaterThan(pending)
    await runner.stop()
    expect(time.pending).toBe(pending)
    await queue.close()
  })
})
