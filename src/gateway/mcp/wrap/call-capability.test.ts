import { describe, expect, it } from 'vitest'
import { verify as ask } from '../../../capability/verify.ts'
import { FakeTime } from '../../../testing/core/fake-time.ts'
import { callCapabilities, callNames } from './call-capability.ts'
import type { ToolVerification } from './upstream-settings.ts'

/** What is known of a call of `create`, if the tool that is asked answers with this text. */
async function verified(
  verify: ToolVerification,
  args: Record<string, unknown>,
  text: string | { resultType: string },
) {
  const asked: unknown[] = []
  const perform = async (call: unknown) => {
    asked.push(call)
    return typeof text === 'string' ? { content: [{ type: 'text', text }] } : text
  }
  const names = callNames('tracker', 'abc')
  const capabilities = callCapabilities({ name: 'tracker', tools: { create: { verify } } }, names, perform)
  const [, , capability] = capabilities
  const context = { signal: new AbortController().signal } as never
  const given = { tool: 'create', arguments: args }
  const answer = await ask(capability as never, given, context, { time: new FakeTime(0) })
  return { answer, asked }
}

describe('a call that may have happened', () => {
  const verify = { tool: 'find', arguments: { q: '{title}' }, contains: '{title}' }

  it('is done if the other tool finds its effect, and absent if not', async () => {
    const { answer, asked } = await verified(verify, { title: 'a leak' }, 'found: a leak')
    expect(answer).toMatchObject({ state: 'done' })
    expect(asked).toEqual([{ tool: 'find', arguments: { q: 'a leak' } }])
    expect((await verified(verify, { title: 'a leak' }, 'nothing')).answer).toMatchObject({ state: 'absent' })
  })

  it.each([
    ['without the argument that its verify names', {}, /needs title/],
    ['with an empty one', { title: '' }, /empty text/],
  ])('is unsure %s', async (_what, args, reason) => {
    const { answer } = await verified(verify, args, 'nothing')
    expect(answer).toMatchObject({ state: 'unsure', reason: expect.stringMatching(reason) })
  })
})
