import { describe, expect, it } from 'vitest'
import { Health } from '../../provider/health.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { call } from '../call.ts'
import { isCallFailed } from '../call-failed.ts'
import type { CallOptions } from '../options.ts'
import { PushedAnswer, PushedBody } from './pushed.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (piece: Uint8Array) => new TextDecoder().decode(piece)
const event = (type: string, data: object = {}) =>
  bytes(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)

const START = event('message_start', {
  message: { id: 'm', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 1 } },
})
const WORD = event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'hi' } })
const STOP = event('message_stop')
const OVERLOADED = event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } })

/** A body, what its source was told, and what its reader got. */
function pushed() {
  const told: unknown[] = []
  const body = new PushedBody({
    pause: () => told.push('pause'),
    resume: () => told.push('resume'),
    destroy: reason => told.push(reason),
  })
  return { body, told }
}

function reading(body: PushedBody, more: { pausesAfter?: number } = {}) {
  const got: unknown[] = []
  body.readBy({
    took: piece => {
      got.push(text(piece))
      if (got.length === more.pausesAfter) body.pause()
    },
    ended: () => got.push('end'),
    failed: error => got.push(error),
  })
  return got
}

describe('a pushed body', () => {
  it('keeps what comes before its reader, and gives it in order', () => {
    const { body } = pushed()
    body.push(bytes('a'))
    body.push(bytes('b'))
    body.ended()
    expect(reading(body)).toEqual(['a', 'b', 'end'])
  })

  it('gives a reader that pauses no more, until it goes on', () => {
    const { body } = pushed()
    const got = reading(body, { pausesAfter: 1 })
    for (const letter of ['a', 'b', 'c']) body.push(bytes(letter))
    body.ended()
    expect(got).toEqual(['a'])
    body.resume()
    expect(got).toEqual(['a', 'b', 'c', 'end'])
  })

  it('lets its source pause once 64 kB wait, and go on once they are read', () => {
    const { body, told } = pushed()
    body.push(new Uint8Array(65_535))
    expect(told).toEqual([])
    body.push(new Uint8Array(1))
    expect(told).toEqual(['pause'])
    reading(body)
    expect(told).toEqual(['pause', 'resume'])
  })

  it('tells its reader of a failure after what came before it', () => {
    const { body } = pushed()
    body.push(bytes('a'))
    const reset = new Error('reset')
    body.failed(reset)
    body.push(bytes('late'))
    expect(reading(body)).toEqual(['a', reset])
  })

  it('ends its source if it is cancelled, and says no more', () => {
    const { body, told } = pushed()
    const got = reading(body)
    body.cancel('enough')
    body.push(bytes('a'))
    body.ended()
    expect(told).toEqual(['resume', 'enough'])
    expect(got).toEqual([])
  })
})

describe('an answer with a pushed body', () => {
  function answering(options: CallOptions = {}) {
    const sources: ReturnType<typeof pushed>[] = []
    const time = new FakeTime()
    const health = new Health({ time })
    const asked = call(
      () => {
        const source = pushed()
        sources.push(source)
        const headers = new Map([['content-type', 'text/event-stream']])
        return new PushedAnswer(200, '', headers, source.body)
      },
      { provider: 'p', firstChunkMs: Infinity, health, time, random: () => 0, ...options },
    )
    const source = async (number: number) => {
      while (!sources[number]) await time.advance(1_000)
      // Until it is watched.
      await time.advance(0)
      return sources[number] as ReturnType<typeof pushed>
    }
    return { asked, source, sources, time, health }
  }

  it('is handed out with its frame once its first words are there', async () => {
    const { asked, source, health } = answering()
    const { body } = await source(0)
    body.push(START)
    let isThere = false
    void asked.then(() => {
      isThere = true
    })
    for (let turns = 0; turns < 20; turns++) await Promise.resolve()
    expect(isThere).toBe(false)
    body.push(WORD)
    const { value } = await asked
    const got = reading(value.body)
    expect(got).toEqual([text(START), text(WORD)])
    body.push(STOP)
    body.ended()
    expect(got.slice(2)).toEqual([text(STOP), 'end'])
    expect((await health.status())[0]?.running).toBe(0)
  })

  it('that fails in its frame is asked for again', async () => {
    const { asked, source, sources } = answering()
    const first = await source(0)
    first.body.push(START)
    first.body.push(OVERLOADED)
    const second = await source(1)
    second.body.push(START)
    second.body.push(WORD)
    expect(reading((await asked).value.body)).toEqual([text(START), text(WORD)])
    expect([sources.length, first.told.at(-1)]).toEqual([2, expect.anything()])
  })

  it('whose failure comes together with its first words is asked for again, because nobody has them', async () => {
    const { asked, source } = answering()
    const { body } = await source(0)
    body.push(WORD)
    body.push(OVERLOADED)
    const second = await source(1)
    second.body.push(WORD)
    expect(reading((await asked).value.body)).toEqual([text(WORD)])
  })

  it('that fails later gives its reader what came, then the failure of the call', async () => {
    const { asked, source, sources } = answering()
    const { body, told } = await source(0)
    body.push(WORD)
    const got = reading((await asked).value.body)
    body.push(OVERLOADED)
    expect(got.slice(0, 2)).toEqual([text(WORD), text(OVERLOADED)])
    expect(isCallFailed(got[2])).toBe(true)
    expect(sources).toHaveLength(1)
    expect(told).not.toEqual([])
  })

  it('that ends without its last event, even before it is handed out, gives its words and then fails', async () => {
    const { asked, source, sources } = answering()
    const { body } = await source(0)
    body.push(WORD)
    body.ended()
    const got = reading((await asked).value.body)
    expect(got[0]).toBe(text(WORD))
    expect(got[1]).toMatchObject({ message: expect.stringContaining('without its finish event') })
    expect(sources).toHaveLength(1)
  })

  it('ends with its caller', async () => {
    const ending = new AbortController()
    const { asked, source } = answering({ signal: ending.signal })
    const { body, told } = await source(0)
    body.push(WORD)
    const got = reading((await asked).value.body)
    ending.abort(new Error('the client left'))
    expect(isCallFailed(got[1])).toBe(true)
    expect(told.at(-1)).toBeInstanceOf(Error)
  })

  it('is silent for too long only while its reader wants more', async () => {
    const { asked, source, time } = answering({ idleMs: 5_000 })
    const { body } = await source(0)
    body.push(WORD)
    const { value } = await asked
    const got = reading(value.body, { pausesAfter: 1 })
    await time.advance(60_000)
    body.push(WORD)
    expect(got).toEqual([text(WORD)])
    value.body.resume()
    await time.advance(4_000)
    expect(got).toHaveLength(2)
    await time.advance(2_000)
    expect(got[2]).toMatchObject({ failure: { kind: 'stall' } })
  })
})
