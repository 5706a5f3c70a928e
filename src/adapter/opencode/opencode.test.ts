import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { opencodeProgram, startOpencode, type TestServer } from '../../../scripts/opencode-server.ts'
import { call } from '../../call/call.ts'
import { isCallFailed } from '../../call/call-failed.ts'
import type { CallContext } from '../../call/context.ts'
import { council } from '../../call/council.ts'
import { textOf } from './answer.ts'
import { askOpencode } from './ask.ts'
import { OpencodeEvents } from './events.ts'
import { opencodeMember } from './member.ts'

const MODEL = { providerID: 'lab', modelID: 'claude-lab-1' }
const found: { program?: string; why?: string } = await opencodeProgram()

/** The plugin of the council example as one file, in the folder of a user who has installed its imports. */
async function bundled(): Promise<string> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('../../../examples/opencode-council/council.ts', import.meta.url)),
    platform: 'node',
    resolve: { conditionNames: ['mulligan-source', 'import', 'node'] },
    logLevel: 'silent',
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false } as never)
  return output[0].code
}

describe("opencode's answer", () => {
  const answer = (info: object, ...texts: string[]) => ({
    info: { role: 'assistant', ...info },
    parts: [{ type: 'step-start' }, ...texts.map(text => ({ type: 'text', text }))],
  })

  it('is the text of all its parts', () => {
    expect(textOf(answer({ finish: 'stop' }, 'one', ' two '))).toBe('one\n two')
  })

  it.each([
    ['cut at its length', { finish: 'length' }],
    ['cut by a filter', { finish: 'content-filter' }],
    ['failed in a success', { error: { name: 'APIError', data: { statusCode: 529 } } }],
  ])('is none where it was %s, although there is text', (_what, info) => {
    expect(() => textOf(answer(info, 'half an answer'))).toThrow()
  })

  it('is an error if it has no text', () => {
    expect(() => textOf(answer({ finish: 'stop' }))).toThrow('empty response')
    expect(() => textOf(undefined)).toThrow('empty response')
  })
})

describe('events of opencode', () => {
  it('reach only the listeners of their session; anything else is ignored', () => {
    const events = new OpencodeEvents()
    const heard: unknown[] = []
    const stop = events.on('a', news => heard.push(news))
    const status = { type: 'retry', attempt: 1, message: 'slow down', next: 5 }
    events.handle({ type: 'session.status', properties: { sessionID: 'a', status } })
    events.handle({ type: 'session.status', properties: { sessionID: 'b', status } })
    events.handle({ type: 'session.status', properties: { sessionID: 'a', status: { type: 'busy' } } })
    events.handle({ type: 'session.error', properties: { sessionID: 'a', error: { name: 'X' } } })
    for (const none of [undefined, null, 5, {}, { type: 'session.error' }]) events.handle(none)
    stop()
    events.handle({ type: 'session.error', properties: { sessionID: 'a', error: { name: 'Y' } } })
    expect(heard).toEqual([
      { type: 'retry', attempt: 1, message: 'slow down', next: 5 },
      { type: 'error', error: { name: 'X' } },
    ])
  })
})

describe.skipIf(!found.program)(
  `with a real opencode server${found.program ? '' : ` (skipped: ${found.why})`}`,
  () => {
    let server: TestServer
    beforeAll(async () => {
      const options = { models: ['lab/claude-lab-2', 'lab/claude-lab-3'], budgetMs: 60_000 }
      const more = { plugin: [['./council.js', options]] }
      server = await startOpencode(found.program as string, more, { 'council.js': await bundled() })
    })
    afterAll(() => server?.close(), 60_000)
    afterEach(() => server.lab.clear())

    const ask = (more: Partial<Parameters<typeof askOpencode>[1]> = {}, budgetMs = 100_000) =>
      call(
        (context: CallContext) =>
          askOpencode(server.client, { prompt: 'say hi', model: MODEL, ...more }, context),
        {
          budgetMs,
          maxRetries: 0,
        },
      )
    const failing = async (...given: Parameters<typeof ask>) => {
      const error = await ask(...given).catch((thrown: unknown) => thrown)
      if (!isCallFailed(error)) throw error
      return error
    }

    it('a model answers in a new session, which is not left busy', async () => {
      const { value } = await ask({ title: 'a title of its own' })
      expect(value).toContain('All is well in the lab')
      const { data = [] } = await server.client.session.list()
      expect(data.map(({ title }) => title)).toContain('a title of its own')
      expect((await server.client.session.status()).data).toEqual({})
    })

    it('a wait of three hours fails as a throttle once announced, not as a timeout at the end of the budget', async () => {
      server.lab.inject([{ fault: 'usage_limit', times: 'always' }])
      const { failure } = await failing()
      expect(failure).toMatchObject({ class: 'throttle', resetAt: expect.any(Number) })
      expect(failure.retryAfterMs).toBeGreaterThan(3_600_000)
    })

    it('opencode itself waits out a wait that fits the budget', async () => {
      server.lab.inject([{ fault: 'overloaded' }])
      expect((await ask()).value).toContain('All is well')
    })

    it('a missing model is known from the event, although the answer is only a 500', async () => {
      const { failure } = await failing({ model: { ...MODEL, modelID: 'nope' } })
      expect(failure).toMatchObject({ class: 'permanent', kind: 'model_not_found' })
    })

    it("a refused login is classified from opencode's own error object", async () => {
      server.lab.inject([{ fault: 'auth', times: 'always' }])
      const error = await failing()
      expect(error.failure).toMatchObject({ class: 'permanent', kind: 'auth' })
      expect((error.cause as { sdkError?: unknown }).sdkError).toMatchObject({
        info: { error: { name: 'APIError', data: { statusCode: 401 } } },
      })
    })

    it('an incomplete answer is a failure', async () => {
      server.lab.inject([{ fault: 'output_limit', times: 'always' }])
      expect((await failing()).failure.class).not.toBe('transient')
    })

    it('a session is aborted with the call', async () => {
      server.lab.inject([{ fault: 'hang', times: 'always' }])
      const controller = new AbortController()
      const asked = call(
        (context: CallContext) => askOpencode(server.client, { prompt: 'x', model: MODEL }, context),
        { signal: controller.signal },
      ).catch((error: unknown) => error)
      const busy = async () => Object.keys((await server.client.session.status()).data ?? {}).length
      await expect.poll(busy).toBeGreaterThan(0)
      controller.abort()
      expect(await asked).toMatchObject({ failure: { class: 'aborted' } })
      await expect.poll(busy).toBe(0)
    })

    it('members make a council', async () => {
      const member = (name: string) =>
        opencodeMember(server.client, { name, model: MODEL, prompt: 'review this' })
      const result = await council([member('one'), member('two')], { prompt: 'review this' })
      expect(result.successes.map(({ member }) => member)).toEqual(['one', 'two'])
    })

    describe('the council plugin', () => {
      /** Asks the main agent, whose only tool is the council, and returns the output of the tool. */
      async function reviewed(): Promise<string> {
        const { data: session } = await server.client.session.create({ body: { title: 'main' } })
        const { data } = await server.client.session.prompt({
          path: { id: session?.id ?? '' },
          body: {
            model: MODEL,
            tools: { '*': false, council_review: true },
            parts: [{ type: 'text', text: 'have this reviewed' }],
          },
        })
        const { data: messages = [] } = await server.client.session.messages({
          path: { id: session?.id ?? '' },
        })
        const parts = messages.flatMap(message => message.parts) as {
          type: string
          tool?: string
          state?: { output?: string; error?: string }
        }[]
        const tool = parts.find(({ type, tool }) => type === 'tool' && tool === 'council_review')
        return tool?.state?.output ?? tool?.state?.error ?? `no tool was called: ${JSON.stringify(data)}`
      }

      it('asks every model, and returns one answer', async () => {
        server.lab.inject([{ fault: 'tool_loop', model: MODEL.modelID }])
        expect(await reviewed()).toContain('All is well in the lab')
        const models = server.lab.requests.map(({ model }) => model)
        expect(models).toContain('claude-lab-2')
        expect(models).toContain('claude-lab-3')
      })

      it('says at once why it failed if a limit lifts hours later', async () => {
        const limits = ['claude-lab-2', 'claude-lab-3'].map(model => {
          return { fault: 'usage_limit', model, times: 'always' } as const
        })
        server.lab.inject([{ fault: 'tool_loop', model: MODEL.modelID }, ...limits])
        expect(await reviewed()).toMatch(/^Error: the council failed: .*rate limit/s)
      })
    })
  },
)
