import { signal } from '@preact/signals'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LedgerEvent } from '../api/answers.ts'
import { get, unanswered } from '../api/request.ts'
import { Watched } from './watched.ts'

const event: LedgerEvent = { id: 1, at: '', type: 'submitted', operation: 'op_1' }

/** A value whose answers come when the test says so. */
class Slow {
  asked: { signal: AbortSignal; answer: (value: string) => void }[] = []
  happen: () => void = () => undefined
  readonly watched = new Watched<string>({
    look: signal =>
      new Promise((resolve, reject) => {
        this.asked.push({ signal, answer: resolve })
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
    onEvents: listener => {
      this.happen = () => listener([event])
      return () => undefined
    },
    visible: signal(true),
  })
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('a value that is kept up to date', () => {
  it('is not asked for anew by events while its answer is slow, and once when it has come', async () => {
    const slow = new Slow()
    const stop = slow.watched.start()
    for (let second = 0; second < 5; second += 1) {
      slow.happen()
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect(slow.asked.map(({ signal }) => signal.aborted)).toEqual([false])
    slow.asked[0]?.answer('late')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(slow.watched.value.value).toBe('late')
    expect(slow.asked).toHaveLength(2)
    slow.asked[1]?.answer('newer')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(slow.watched.value.value).toBe('newer')
    expect(slow.asked).toHaveLength(2)
    stop()
  })

  it('says so if no answer comes within 30 s, keeps what it had, and is asked for again', async () => {
    const answers: (() => Promise<Response>)[] = [
      async () => Response.json('first'),
      () => new Promise(() => undefined),
      async () => Response.json('third'),
    ]
    const asked: AbortSignal[] = []
    vi.stubGlobal('fetch', (_path: string, { signal }: { signal: AbortSignal }) => {
      asked.push(signal)
      const aborted = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      )
      return Promise.race([answers[asked.length - 1]?.(), aborted])
    })
    const before = unanswered.value
    let happen: () => void = () => undefined
    const watched = new Watched<string>({
      look: signal => get<string>('/v1/status', signal),
      onEvents: listener => {
        happen = () => listener([event])
        return () => undefined
      },
      visible: signal(true),
    })
    const problems: (string | undefined)[] = []
    watched.problem.subscribe(problem => {
      problems.push(problem?.message)
    })
    const stop = watched.start()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(watched.value.value).toBe('first')
    happen()
    await vi.advanceTimersByTimeAsync(29_999)
    expect(asked.map(({ aborted }) => aborted)).toEqual([false, false])
    expect(watched.value.value).toBe('first')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(asked[1]?.aborted).toBe(true)
    expect(problems).toContain('The daemon has not answered for 30 seconds.')
    expect(unanswered.value).toBe(before + 1)
    expect(watched.value.value).toBe('third')
    expect(watched.problem.value).toBeUndefined()
    stop()
  })
})
