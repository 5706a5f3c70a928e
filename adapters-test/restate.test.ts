import { PauseError, RetryableError, TerminalError } from '@restatedev/restate-sdk'
import { describe, expect, it, vi } from 'vitest'
import { defineWorker, restateHandler, toRestateError } from '../src/adapter/restate/index.ts'
import { LIMITED, LOGIN, OVERLOADED, REFUSED, throwing } from './errors.ts'

type Definition = Parameters<typeof defineWorker>[0]
const errors = { TerminalError, RetryableError, PauseError }

/** A context that remembers results across processes that die. */
class Journal {
  readonly slept: number[] = []
  readonly memory = new Map<string, string>()
  readonly date = { now: async () => Date.now() }
  readonly request = () => ({ id: 'inv-1' })
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    if (!this.memory.has(name)) this.memory.set(name, JSON.stringify(await work()))
    return JSON.parse(this.memory.get(name) as string)
  }
  async sleep(ms: number): Promise<void> {
    this.slept.push(ms)
  }
}

function handlerOf(definition: Partial<Definition>, options = {}) {
  const run = vi.fn<Definition['run']>(() => 'fine')
  const shared = {
    name: 'review',
    retry: 'replay',
    backoff: 'fixed10s',
    random: () => 0,
    pause: false,
  } as const
  return { run, handler: restateHandler(defineWorker({ run, ...shared, ...definition }), errors, options) }
}

describe('Restate errors', () => {
  it("are Restate's own classes, and carry the outcome", () => {
    expect(
      toRestateError({ outcome: 'retry', afterMs: 10_000, mode: 'again', reason: 'r' }, errors),
    ).toMatchObject({
      name: 'RetryableError',
      retryAfter: 10_000,
    })
    const snooze = { outcome: 'snooze', until: 5_000, mode: 'again', reason: 'r' } as const
    expect(toRestateError(snooze, errors, undefined, 1_000)).toMatchObject({ retryAfter: 4_000 })
    expect(toRestateError({ outcome: 'park', for: 'login', reason: 'r' }, errors)).toBeInstanceOf(PauseError)
    const cancel = toRestateError({ outcome: 'cancel', as: 'refused', reason: 'r' }, errors)
    expect(cancel).toBeInstanceOf(TerminalError)
    expect(cancel).toMatchObject({ metadata: { mulligan: 'refused' } })
  })
})

describe('a Restate handler', () => {
  it('sleeps between tries, and runs nothing twice on replay', async () => {
    const { handler, run } = handlerOf({})
    run.mockImplementationOnce(throwing(LIMITED)).mockImplementationOnce(throwing(OVERLOADED))
    const journal = new Journal()
    expect(await handler(journal, {})).toBe('fine')
    expect(journal.slept[0]).toBeGreaterThan(7_190_000)
    expect(journal.slept[1]).toBeGreaterThan(9_900)
    expect(await handler(journal, {})).toBe('fine')
    expect(run).toHaveBeenCalledTimes(3)
  })

  it.each([
    [REFUSED, 'refused'],
    [LOGIN, 'parked for login'],
  ])('ends with a terminal error: %s', async (thrown, mulligan) => {
    const error = await handlerOf({ run: throwing(thrown) })
      .handler(new Journal(), {})
      .catch(error => error)
    expect(error).toBeInstanceOf(TerminalError)
    expect(error.metadata).toEqual({ mulligan })
  })

  it('is not run again blindly after the process died during a try', async () => {
    const journal = new Journal()
    const died = handlerOf({ retry: 'none' })
    journal.run = async function <T>(this: Journal, name: string, work: () => Promise<T>) {
      if (name === 'review 1') throw new Error('the process died')
      return Journal.prototype.run.call(this, name, work) as Promise<T>
    }
    await died.handler(journal, {}).catch(() => {})
    journal.run = Journal.prototype.run
    const { handler, run } = handlerOf({ retry: 'none' })
    const error = await handler(journal, {}).catch(error => error)
    expect(error.metadata).toEqual({ mulligan: 'unverifiable' })
    expect(run).not.toHaveBeenCalled()
  })
})
