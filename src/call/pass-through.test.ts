import { describe, expect, it } from 'vitest'
import { NodeHealth as Health } from '../process/node-health.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { call } from './call.ts'
import type { CallFailed } from './call-failed.ts'
import { council } from './council.ts'
import type { CallEvent } from './event.ts'
import { CONTROL_FLOW } from './pass-through.ts'

class GraphInterrupt extends Error {
  override name = 'GraphInterrupt'
}

const withDigest = (digest: string, message = 'x') => Object.assign(new Error(message), { digest })

async function thrownBy(error: unknown, options: Parameters<typeof call>[1] = {}) {
  let tries = 0
  const health = new Health()
  // Wrapped in a list, because a thrown promise would be awaited.
  const [got] = await call(
    () => {
      tries++
      throw error
    },
    { provider: 'p', health, time: new FakeTime(), maxRetries: 2, ...options },
  ).then(
    () => [],
    (reason: unknown) => [reason],
  )
  return { got, tries, status: (await health.status())[0] }
}

describe('control flow goes to the caller as it is', () => {
  it.each<[string, unknown]>([
    ['an interrupt of LangGraph', new GraphInterrupt('waiting for approval: 429')],
    ['one by the name of its class', new (class NodeInterrupt extends Error {})('x')],
    ['a redirect of Next', withDigest('NEXT_REDIRECT;replace;/login;307;', 'NEXT_REDIRECT')],
    ['a page that is not there', withDigest('NEXT_HTTP_ERROR_FALLBACK;404')],
    ['one of an older Next', new Error('NEXT_NOT_FOUND')],
    ['a promise that React waits for', Promise.resolve()],
    // biome-ignore lint/suspicious/noThenProperty: some libraries throw such objects.
    ['a thenable', { then() {} }],
  ])('%s', async (_what, error) => {
    const { got, tries, status } = await thrownBy(error)
    expect(got).toBe(error)
    expect(tries).toBe(1)
    expect(status).toMatchObject({ admits: true, running: 0, blocks: [], breaker: { failures: 0 } })
  })

  it('and the events say so', async () => {
    const events: CallEvent[] = []
    const error = new GraphInterrupt('x')
    await thrownBy(error, { onEvent: event => void events.push(event) })
    expect(events.map(({ type }) => type)).toEqual(['attempt.started', 'settled'])
    expect(events.at(-1)).toMatchObject({ outcome: 'passed', attempts: 1, provider: 'p', error })
  })

  it('but not an error that only mentions it', async () => {
    const error = new Error('the page threw NEXT_REDIRECT, and GraphInterrupt')
    expect((await thrownBy(error)).got).toMatchObject({ name: 'CallFailed', cause: error })
  })

  it('and an error whose getters throw is a failure like any other', async () => {
    const error = {
      get name(): string {
        throw new Error('not to be read')
      },
    }
    const { got } = await thrownBy(error, { maxRetries: 0 })
    expect((got as CallFailed).name).toBe('CallFailed')
    expect((got as CallFailed).cause).toBe(error)
  })
})

describe('what passes through is the caller’s choice', () => {
  it('by names, replacing the default ones', async () => {
    const mine = Object.assign(new Error('x'), { name: 'Suspended' })
    expect((await thrownBy(mine, { passThrough: ['Suspended'] })).got).toBe(mine)
    const theirs = new GraphInterrupt('x')
    expect((await thrownBy(theirs, { passThrough: ['Suspended'] })).got).toMatchObject({ cause: theirs })
    expect((await thrownBy(theirs, { passThrough: [...CONTROL_FLOW, 'Suspended'] })).got).toBe(theirs)
  })

  it('by a function, which may throw', async () => {
    const error = new Error('429')
    expect((await thrownBy(error, { passThrough: given => given === error })).got).toBe(error)
    const fails = () => {
      throw new Error('a mistake')
    }
    expect((await thrownBy(error, { passThrough: fails, maxRetries: 0 })).got).toMatchObject({ cause: error })
  })

  it('nothing, with an empty list', async () => {
    const error = new GraphInterrupt('x')
    expect((await thrownBy(error, { passThrough: [], maxRetries: 0 })).got).toMatchObject({ cause: error })
  })

  it('and anything else is refused by name', async () => {
    await expect(call(() => 1, { passThrough: 'GraphInterrupt' as never })).rejects.toThrow(
      'call: passThrough must be a function, or a list of error names, not "GraphInterrupt"',
    )
  })
})

describe('a council', () => {
  it('ends with the control flow that a member throws, and aborts the others', async () => {
    const error = new GraphInterrupt('x')
    let signal: AbortSignal | undefined
    const others = council(
      [
        { name: 'a', ask: () => Promise.reject(error) },
        {
          name: 'b',
          ask: context => {
            signal = context.signal
            return new Promise<string>(() => {})
          },
        },
      ],
      { prompt: 'x' },
    )
    await expect(others).rejects.toBe(error)
    expect(signal?.aborted).toBe(true)
  })

  it('ends with that of its aggregator', async () => {
    const error = new GraphInterrupt('x')
    const member = (name: string) => ({ name, ask: () => name })
    const asked = council([member('a'), member('b')], {
      prompt: 'x',
      aggregator: { aggregate: () => Promise.reject(error) },
    })
    await expect(asked).rejects.toBe(error)
  })
})
