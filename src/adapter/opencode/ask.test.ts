import { describe, expect, it } from 'vitest'
import { call } from '../../call/call.ts'
import type { CallFailed } from '../../call/call-failed.ts'
import { askOpencode } from './ask.ts'
import type { OpencodeClient } from './client.ts'
import { OpencodeEvents } from './events.ts'

/** A client whose prompt is answered with an error, as the SDK returns it: the body, and a `Response` beside it. */
const answering = (status: number, error: unknown, headers: Record<string, string> = {}): OpencodeClient => ({
  session: {
    create: async () => ({ data: { id: 'ses_1' } }),
    prompt: async () => ({ error, response: new Response(null, { status, headers }) }),
    abort: async () => ({}),
  },
  event: { subscribe: async () => ({ stream: (async function* () {})() }) },
})

async function failureOf(client: OpencodeClient) {
  const asked = call(
    context => askOpencode(client, { prompt: 'hi', events: new OpencodeEvents() }, context),
    { maxRetries: 0, budgetMs: 100_000 },
  )
  return ((await asked.catch((error: unknown) => error)) as CallFailed).failure
}

describe('an error that opencode answers with', () => {
  it.each([400, 401, 402, 408, 413, 422])("keeps opencode's own message: %s", async status => {
    const failure = await failureOf(
      answering(status, { name: 'BadRequest', data: { message: `the part at ${status} has no text` } }),
    )
    expect(failure).toMatchObject({
      status,
      message: `opencode did not answer: the part at ${status} has no text`,
    })
  })

  it('keeps a message in any place where opencode has one', async () => {
    expect((await failureOf(answering(400, { _tag: 'BadRequest' }))).message).toContain('BadRequest')
    expect((await failureOf(answering(400, 'no such part'))).message).toContain('no such part')
    expect((await failureOf(answering(400, {}))).message).toBe('opencode did not answer')
  })

  it('counts the time in its retry-after header', async () => {
    const failure = await failureOf(
      answering(429, { name: 'APIError', data: { message: 'slow down' } }, { 'retry-after': '77' }),
    )
    expect(failure).toMatchObject({ class: 'throttle', retryAfterMs: 77_000 })
  })
})
