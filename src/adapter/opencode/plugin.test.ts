import { describe, expect, it } from 'vitest'
import { Council } from '../../../examples/opencode-council/council.ts'
import type { OpencodeClient } from './client.ts'

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
