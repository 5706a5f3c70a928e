import { describe, expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import type { Time } from '../time/time.ts'
import type { Choice } from './gate.ts'
import { Health } from './health.ts'
import { WaitingLine } from './waiting-line.ts'

const NONE: ReadonlySet<string> = new Set()

/** A provider that may run one call at a time, and is running one. */
function busy() {
  const time = new FakeTime()
  const health = new Health({
    time,
    random: () => 0.5,
    providers: [
      { id: 'a', maxConcurrent: 1, caps: [{ per: 'day', requests: 1_000 }], breaker: { consecutive: 1 } },
    ],
  })
  const choose = (signal?: AbortSignal, since?: number) =>
    Promise.resolve(health.choose({ pool: ['a'], tried: NONE, signal, since }))
  const requests = async () => (await health.status())[0]?.windows[0]?.used
  return { time, health, choose, requests }
}

describe('a call that waits for its turn', () => {
  it('leaves the line when aborted: it takes no turn and is not counted', async () => {
    const { time, choose, requests } = busy()
    const first = await choose()
    const stop = new AbortController()
    const gaveUp = choose(stop.signal).catch((error: unknown) => error)
    const stays = choose()
    stop.abort('enough')
    expect(await gaveUp).toBe('enough')
    first.permit?.succeeded()
    expect((await stays).permit?.provider).toBe('a')
    expect(await requests()).toBe(2)
    expect(time.pending).toBe(0)
  })

  it('keeps its place if it waits for the same time as others by a clock of whole milliseconds', async () => {
    let monotonic = 0.9
    const timers: { at: number; callback: () => void }[] = []
    const time: Time = {
      now: () => Math.floor(monotonic),
      monotonic: () => monotonic,
      after: (ms, callback) => {
        const timer = { at: monotonic + ms, callback }
        timers.push(timer)
        return () => void timers.splice(timers.indexOf(timer), 1)
      },
    }
    const line = new WaitingLine(time)
    const asked: string[] = []
    const join = (name: string) => {
      const ask = () => {
        if (time.now() < 100) return { waitMs: 100 - time.now() }
        asked.push(name)
        return {}
      }
      void line.join({ since: monotonic, signal: undefined, ask }, { waitMs: 100 - time.now() })
    }
    join('first')
    monotonic = 5.2
    join('second')
    for (let next = timers[0]; next; next = timers[0]) {
      timers.shift()
      monotonic = next.at
      next.callback()
    }
    expect(asked).toEqual(['first', 'second'])
  })

  it('does not enter the line with an aborted signal', async () => {
    const { choose } = busy()
    await choose()
    await expect(choose(AbortSignal.abort('before'))).rejects.toBe('before')
  })

  it('does not become the probe after an abort, no matter how long it waited', async () => {
    const { time, health, choose } = busy()
    const failure = classify(Object.assign(new Error('overloaded'), { status: 529 })) as Failure
    ;(await choose()).permit?.failed(failure, { breaker: 'failure' })
    await time.advance(30_000)
    const stop = new AbortController()
    const longest = choose(stop.signal, 1).catch((error: unknown) => error)
    const other = choose(undefined, 2)
    stop.abort('enough')
    expect(await time.until(longest)).toBe('enough')
    ;(await time.until(other)).permit?.succeeded()
    expect((await health.status())[0]?.breaker.state).toBe('closed')
  })

  it('gets its turn after hundreds of earlier calls', async () => {
    const { choose } = busy()
    const turns: number[] = []
    const calls = Array.from({ length: 300 }, (_, index) =>
      choose(undefined, index).then((choice: Choice) => {
        turns.push(index)
        choice.permit?.succeeded()
      }),
    )
    await Promise.all(calls)
    expect(turns).toEqual(Array.from({ length: 300 }, (_, index) => index))
  })
})
