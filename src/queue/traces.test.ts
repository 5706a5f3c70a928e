import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { context, SpanKind, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineCapability } from '../capability/define.ts'
import { scriptedCapability } from '../testing/scripted.ts'
import { type OpenedQueue, openQueue } from './open.ts'

const exporter = new InMemorySpanExporter()
const spans = () => exporter.getFinishedSpans()
const named = (name: string) => spans().filter(span => span.name === name)

function register(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  )
}

const review = defineCapability({
  name: 'review',
  params: z.object({}),
  retry: 'replay',
  pool: ['claude-work', 'codex'],
  model: 'opus',
  run: (_params, { provider, charge }) => {
    trace.getTracer('app').startSpan(`request to ${provider}`).end()
    charge({ usd: 0.25 })
    if (provider === 'claude-work') throw Object.assign(new Error('invalid x-api-key'), { status: 401 })
    return 'fine'
  },
})
const flaky = scriptedCapability({
  name: 'flaky',
  script: [{ fails: { kind: 'overloaded', retryAfterMs: 60_000 } }],
})

let queue: OpenedQueue
beforeEach(async () => {
  exporter.reset()
  const data = mkdtempSync(join(tmpdir(), 'mulligan-traces-'))
  queue = await openQueue({ data, capabilities: [review as never, flaky.capability] })
})
afterEach(async () => {
  await queue.close()
  trace.disable()
  context.disable()
})

describe('without a tracer', () => {
  it('nothing is traced, and a given trace is stored', async () => {
    const { id } = await queue.submit('review', {})
    expect((await queue.ledger.get(id))?.trace).toBeUndefined()
    const given = {
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      tracestate: 'a=b',
    }
    const other = await queue.submit('review', {}, { trace: given })
    expect((await queue.ledger.get(other.id))?.trace).toEqual(given)
    expect(spans()).toEqual([])
  })
})

describe('with a tracer', () => {
  beforeEach(register)

  it('a run has a span for each try, and spans of the work are its children', async () => {
    await queue.run(review, {})
    const [submit] = named('mulligan submit review')
    const [run] = named('mulligan run review')
    const tries = named('mulligan attempt review')
    expect(submit?.kind).toBe(SpanKind.PRODUCER)
    expect(run?.kind).toBe(SpanKind.CONSUMER)
    expect(run?.parentSpanContext?.spanId).toBe(submit?.spanContext().spanId)
    expect(run?.attributes).toMatchObject({
      'mulligan.outcome': 'succeeded',
      'mulligan.run': 1,
      'mulligan.cost_usd': 0.5,
    })
    expect(run?.events).toMatchObject([
      { name: 'failed over', attributes: { 'mulligan.from': 'claude-work' } },
    ])
    expect(tries.map(({ attributes, status }) => ({ ...attributes, code: status.code }))).toMatchObject([
      {
        'mulligan.attempt': 1,
        'mulligan.provider': 'claude-work',
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'anthropic',
        'gen_ai.request.model': 'opus',
        'error.type': 'auth',
        'http.response.status_code': 401,
        'mulligan.cost_usd': 0.25,
        code: 2,
      },
      { 'mulligan.attempt': 2, 'gen_ai.provider.name': 'openai', code: 0 },
    ])
    const requests = spans().filter(({ name }) => name.startsWith('request'))
    expect(requests.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(
      tries.map(each => each.spanContext().spanId),
    )
    expect(new Set(spans().map(span => span.spanContext().traceId)).size).toBe(1)
  })

  it('a handed-over operation continues in the trace of its caller', async () => {
    await trace.getTracer('app').startActiveSpan('page', async page => {
      await queue.run(flaky.capability, {}, { budgetMs: 1 })
      page.end()
    })
    const [page] = named('page')
    const [handed] = named('mulligan hand over flaky')
    expect(handed?.attributes).toMatchObject({ 'mulligan.verdict': 'retry' })
    expect(handed?.parentSpanContext?.spanId).toBe(named('mulligan run flaky')[0]?.spanContext().spanId)
    const [operation] = (await queue.ledger.list()).items
    const id = operation?.id as string
    await queue.retry(id)
    const runner = queue.runner()
    await runner.start()
    await queue.wait(id)
    await runner.stop()
    const runs = named('mulligan run flaky')
    expect(runs.map(({ attributes }) => attributes['mulligan.outcome'])).toEqual(['retry', 'succeeded'])
    for (const span of spans()) expect(span.spanContext().traceId).toBe(page?.spanContext().traceId)
  })

  it('a call that failed elsewhere is handed over within a span', async () => {
    await queue.handOver('flaky', {}, { status: 503 })
    const [handed] = named('mulligan hand over flaky')
    const [operation] = (await queue.ledger.list()).items
    expect(operation?.trace?.traceparent).toContain(handed?.spanContext().spanId)
  })

  it('a batch has one span, and refused submissions say why', async () => {
    await queue.submitMany([{ capability: 'flaky' }, { capability: 'flaky' }])
    expect(named('mulligan submit flaky')).toMatchObject([{ attributes: { 'mulligan.operations': 2 } }])
    await queue.submit('nowhere', {}).catch(() => {})
    expect(named('mulligan submit nowhere')).toMatchObject([
      { status: { code: 2, message: expect.stringContaining('nowhere') } },
    ])
  })
})
