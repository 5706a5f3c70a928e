import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FakeTime } from '../testing/fake-time.ts'
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

  it('sees why a call failed', async () => {
    await call(() => Promise.reject(Object.assign(new Error('bad key'), { status: 401 }))).catch(() => {})
    const whole = exporter.getFinishedSpans().find(({ name }) => name === 'mulligan call')
    expect(whole?.status).toMatchObject({ code: 2, message: expect.stringContaining('bad key') })
  })
})
