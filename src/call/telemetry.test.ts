import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FakeTime } from '../testing/core/fake-time.ts'
import { call } from './call.ts'

const exporter = new InMemorySpanExporter()

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  )
})
beforeEach(() => exporter.reset())
afterAll(() => {
  trace.disable()
  context.disable()
})

describe('an application with a tracer', () => {
  it('sees a span for the call, one for each try within it, and its own spans within those', async () => {
    const time = new FakeTime()
    const work = ({ attempt, charge }: { attempt: number; charge: (spent: { usd: number }) => void }) => {
      trace.getTracer('app').startSpan(`request ${attempt}`).end()
      charge({ usd: 0.5 })
      if (attempt === 1) throw Object.assign(new Error('overloaded'), { status: 529 })
      return 'answer'
    }
    await time.until(call(work, { name: 'review', provider: 'anthropic', time }))
    const spans = exporter.getFinishedSpans()
    const whole = spans.find(({ name }) => name === 'mulligan review')
    const tries = spans.filter(({ name }) => name === 'mulligan review attempt')
    expect(whole?.attributes).toMatchObject({
      'mulligan.attempts': 2,
      'mulligan.provider': 'anthropic',
      'mulligan.cost_usd': 1,
    })
    expect(whole?.events).toMatchObject([{ name: 'waiting' }])
    expect(
      tries.map(({ attributes, status }) => [
        attributes['mulligan.failure.kind'],
        attributes['mulligan.verdict'],
        status.code,
      ]),
    ).toEqual([
      ['overloaded', 'retry', 2],
      [undefined, undefined, 0],
    ])
    for (const attempt of tries) expect(attempt.parentSpanContext?.spanId).toBe(whole?.spanContext().spanId)
    const requests = spans.filter(({ name }) => name.startsWith('request'))
    expect(requests.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(
      tries.map(attempt => attempt.spanContext().spanId),
    )
  })

  it('sees what an answer used, of a stream at its end', async () => {
    const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 3 }
    const used = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude',
      'gen_ai.usage.input_tokens': 13,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.cache_read.input_tokens': 3,
    }
    const attributes = () =>
      exporter.getFinishedSpans().find(({ name }) => name === 'mulligan call attempt')?.attributes
    await call(() => ({ model: 'claude', role: 'assistant', content: [{ text: 'x' }], usage }), {
      provider: 'anthropic',
    })
    expect(attributes()).toMatchObject(used)
    exporter.reset()
    async function* events() {
      yield { type: 'message_start', message: { model: 'claude', usage } }
      yield { type: 'content_block_delta', delta: { type: 'text_delta', text: 'x' } }
      yield { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }
      yield { type: 'message_stop' }
    }
    const { value } = await call(() => events(), { provider: 'anthropic' })
    expect(attributes()).toBeUndefined()
    for await (const _ of value);
    expect(attributes()).toMatchObject(used)
  })

  it('sees why a call failed', async () => {
    await call(() => Promise.reject(Object.assign(new Error('bad key'), { status: 401 }))).catch(() => {})
    const whole = exporter.getFinishedSpans().find(({ name }) => name === 'mulligan call')
    expect(whole?.status).toMatchObject({ code: 2, message: expect.stringContaining('bad key') })
  })
})
