import { describe, expect, it } from 'vitest'
import { Council } from '../../../examples/opencode-council/council.ts'
import type { OpencodeClient } from './client.ts'
import { mulliganPlugin } from './mulligan-plugin.ts'

/** A client whose models answer with their names; `slow` ones never do. */
function clientOf(slow: readonly string[] = []) {
  const prompts: { model: string; text: string }[] = []
  let sessions = 0
  const client: OpencodeClient = {
    session: {
      create: async () => ({ data: { id: `ses_${++sessions}` } }),
      prompt: async (options: never) => {
        const { body } = options as {
          body: { model: { providerID: string; modelID: string }; parts: { text: string }[] }
        }
        const model = `${body.model.providerID}/${body.model.modelID}`
        prompts.push({ model, text: body.parts[0]?.text ?? '' })
        if (slow.includes(model)) await new Promise(() => {})
        const text = `${model} has read it`
        return { data: { info: { role: 'assistant', finish: 'stop' }, parts: [{ type: 'text', text }] } }
      },
      abort: async () => ({}),
    },
    event: { subscribe: async () => ({ stream: (async function* () {})() }) },
  }
  return { client, prompts }
}

const review = async (
  { client }: ReturnType<typeof clientOf>,
  options: Parameters<typeof Council>[1],
): Promise<string> => {
  const { tool } = await Council({ client, directory: '/w' }, options)
  return tool.council_review.execute({ prompt: 'review this' }, { sessionID: 'main' })
}

describe('the plugin with a council', () => {
  it('asks the same model twice, and the named aggregator for the summary', async () => {
    const asked = clientOf()
    const answer = await review(asked, { models: ['a/one', 'a/one', 'b/two'], aggregator: 'c/three' })
    expect(answer).toBe('c/three has read it')
    expect(asked.prompts.map(({ model }) => model)).toEqual(['a/one', 'a/one', 'b/two', 'c/three'])
    expect(asked.prompts.at(-1)?.text).toContain('## Reviewer 2: a/one (2)')
  })

  it('waits for its quorum only', async () => {
    const asked = clientOf(['b/slow'])
    expect(await review(asked, { models: ['a/one', 'b/slow', 'a/two'], quorum: 2, graceMs: 0 })).toBe(
      'a/one has read it',
    )
    expect(asked.prompts.at(-1)?.text).toContain('Aborted (quorum reached):\n- b/slow')
  })

  it('ends at its cap', async () => {
    const asked = clientOf(['b/slow', 'a/slow'])
    const answer = await review(asked, { models: ['a/slow', 'b/slow'], budgetMs: 50, hardCapMs: 1 })
    expect(answer).toMatch(/^Error: the council failed: council timed out/)
  })
})

describe('the plugin that is installed', () => {
  async function plugin() {
    const recorded: Readonly<Record<string, unknown>>[] = []
    const fetch = (() => {}) as never
    const hooks = await mulliganPlugin(['mulligan'], {
      record: failure => recorded.push(failure),
      fetch,
    })({ client: clientOf().client, directory: '/w' })
    const event = (type: string, properties: object) =>
      hooks.event({ event: { type, properties: { sessionID: 'ses_1', ...properties } } })
    return { hooks, recorded, fetch, event }
  }

  it('gives every configured provider its fetch, unless it has one', async () => {
    const { hooks, fetch } = await plugin()
    const own = () => {}
    const config = { provider: { a: {}, b: { options: { baseURL: 'x' } }, c: { options: { fetch: own } } } }
    await hooks.config(config)
    expect(config.provider).toEqual({
      a: { options: { fetch } },
      b: { options: { baseURL: 'x', fetch } },
      c: { options: { fetch: own } },
    })
    await expect(hooks.config({})).resolves.toBeUndefined()
  })

  it('records errors and announced waits once, with the time, and no abort', async () => {
    const { recorded, event } = await plugin()
    const retry = { status: { type: 'retry', attempt: 1, message: 'Usage limit reached', next: 5 } }
    await event('session.status', retry)
    await event('session.status', { status: { ...retry.status, attempt: 2 } })
    await event('session.error', { error: { name: 'APIError', data: { message: 'Overloaded' } } })
    await event('session.error', { error: { name: 'MessageAbortedError', data: {} } })
    await event('session.idle', {})
    expect(recorded).toMatchObject([
      { last_assistant_message: 'Usage limit reached', resets_at_ms: 5, session_id: 'ses_1' },
      { error: 'APIError', last_assistant_message: 'Overloaded' },
    ])
  })

  it('has the council only if models are named', async () => {
    const { hooks } = await plugin()
    expect(hooks).not.toHaveProperty('tool')
    const named = await mulliganPlugin(['mulligan'], { record: () => {} })(
      { client: clientOf().client, directory: '/w' },
      { models: ['a/b'] },
    )
    expect(named).toHaveProperty('tool.council_review')
  })
})
