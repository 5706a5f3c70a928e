import { describe, expect, it } from 'vitest'
import { Health } from '../../provider/health.ts'
import { resilientModel } from './resilient-model.ts'

/** As much of a chat model as matters here, with LangChain's own retries around its work. */
class ChatFake {
  readonly caller = { call: async (run: () => unknown) => [await run(), 'retried'] }
  readonly model: string
  readonly fails: boolean
  tools: unknown[] = []
  constructor(model: string, fails = false) {
    this.model = model
    this.fails = fails
  }
  _llmType() {
    return this.model.split('-')[0] as string
  }
  async invoke(input: string): Promise<unknown> {
    return this.caller.call(async () => {
      if (this.fails) throw Object.assign(new Error('credit balance is too low'), { status: 402 })
      return { model: this.model, input, tools: this.tools }
    })
  }
  async stream(input: string): Promise<AsyncIterable<unknown>> {
    return this._streamIterator(input)
  }
  async *_streamIterator(_input: string): AsyncGenerator<unknown> {
    if (this.fails) throw Object.assign(new Error('credit balance is too low'), { status: 402 })
    yield this.model
  }
  bindTools(tools: unknown[]): ChatFake {
    const bound = new ChatFake(this.model, this.fails)
    bound.tools = tools.map(tool => `${this.model}:${tool}`)
    return bound
  }
}

const quick = () => ({ health: new Health(), random: () => 0 })
const made = () => resilientModel([new ChatFake('a-1', true), new ChatFake('b-1')], quick())

describe('resilientModel', () => {
  it('is a model like the first, asks the next, and turns off what they retry themselves', async () => {
    const model = made()
    expect(model).toBeInstanceOf(ChatFake)
    expect(await model.invoke('x')).toEqual({ model: 'b-1', input: 'x', tools: [] })
  })

  it('streams from the next one', async () => {
    const pieces: unknown[] = []
    for await (const piece of await made().stream('x')) pieces.push(piece)
    expect(pieces).toEqual(['b-1'])
  })

  it('rejects with the reason of an abort while it streams', async () => {
    class Hanging extends ChatFake {
      override async *_streamIterator(_input: string): AsyncGenerator<unknown> {
        yield 'hello'
        await new Promise(() => {})
      }
    }
    const controller = new AbortController()
    const reason = new Error('enough')
    const made = resilientModel([new Hanging('a-1')], quick()) as unknown as {
      _streamIterator(input: string, config: object): AsyncIterable<unknown>
    }
    const reading = (async () => {
      for await (const _piece of made._streamIterator('x', { signal: controller.signal }))
        controller.abort(reason)
    })()
    await expect(reading).rejects.toBe(reason)
  })

  it('binds tools to each of them', async () => {
    expect(await made().bindTools(['t']).invoke('x')).toMatchObject([{ tools: ['b-1:t'] }, 'retried'])
  })

  it('says what is wrong', () => {
    expect(() => resilientModel([] as never)).toThrow(/at least one/)
    expect(() => resilientModel(['gpt' as never])).toThrow(/models\[0\] must be a chat model/)
  })
})
