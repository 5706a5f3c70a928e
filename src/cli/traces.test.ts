import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Site, type TestDaemon } from '../../test/cli/daemon.ts'
import { hasPostgres, testSchema } from '../../test/ledger/postgres/schema.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER = '00f067aa0ba902b7'

interface Exported {
  pid: number
  name: string
  trace: string
  span: string
  parent: string | null
  attributes: Record<string, unknown>
}

let site: Site
beforeEach(() => {
  site = new Site()
})
afterEach(() => site.close())

/** What an application loads before Mulligan: the OpenTelemetry SDK and an exporter. */
function withTracer(): () => Exported[] {
  const file = join(site.folder, 'spans.jsonl')
  const from = (name: string) => JSON.stringify(import.meta.resolve(name))
  writeFileSync(file, '')
  writeFileSync(
    join(site.folder, 'tracer.mjs'),
    `import { appendFileSync } from 'node:fs'
import { context, trace } from ${from('@opentelemetry/api')}
import { AsyncLocalStorageContextManager } from ${from('@opentelemetry/context-async-hooks')}
import { BasicTracerProvider, SimpleSpanProcessor } from ${from('@opentelemetry/sdk-trace-base')}
const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext()
      appendFileSync(${JSON.stringify(file)}, JSON.stringify({
        pid: process.pid, name: span.name, trace: traceId, span: spanId,
        parent: span.parentSpanContext?.spanId ?? null, attributes: span.attributes,
      }) + '\\n')
    }
    done({ code: 0 })
  },
  shutdown: async () => {},
}
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
`,
  )
  site.env.NODE_OPTIONS = `--import file://${join(site.folder, 'tracer.mjs')}`
  return () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line) as Exported)
}

async function post(daemon: TestDaemon, path: string, headers: Record<string, string>, body?: unknown) {
  const { url } = await daemon.line(line => typeof line.url === 'string')
  const token = readFileSync(join(site.folder, 'state', 'http.token'), 'utf8').trim()
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return (await response.json()) as { id: string; traceparent: string }
}

const LEDGERS = ['a file', ...(hasPostgres ? ['PostgreSQL'] : [])]

it.each(LEDGERS)(
  'one operation over two daemons is one trace, which starts with the submitting process, in %s',
  async ledger => {
    const spans = withTracer()
    site.module(
      'work.mjs',
      `import { existsSync, writeFileSync } from 'node:fs'
export default [capability('work', async () => {
  if (existsSync('tried')) return 'done'
  writeFileSync('tried', '')
  throw Object.assign(new Error('overloaded'), { status: 529 })
})]`,
    )
    const database = ledger === 'PostgreSQL' ? `database = "${testSchema().url}"\n` : ''
    site.configure(
      `[queue]\ndata = "${join(site.folder, 'state')}"\n${database}modules = ["./work.mjs"]\n[http]\nport = 0\n`,
    )
    const first = await site.serve()
    const headers = { traceparent: `00-${TRACE}-${CALLER}-01` }
    const { id, traceparent } = await post(first, '/v1/operations', headers, { capability: 'work' })
    expect(traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`))
    await first.event('retrying', id)
    await first.stop()
    const second = await site.serve()
    await post(second, `/v1/operations/${id}/retry`, {})
    await second.event('succeeded', id)
    await second.stop()

    const all = spans()
    expect(new Set(all.map(({ trace }) => trace))).toEqual(new Set([TRACE]))
    const named = (name: string) => all.filter(span => span.name === name)
    const [submitted] = named('mulligan submit work')
    expect(submitted).toMatchObject({ parent: CALLER, pid: first.child.pid })
    const runs = named('mulligan run work')
    expect(runs).toMatchObject([
      { parent: submitted?.span, pid: first.child.pid, attributes: { 'mulligan.outcome': 'retry' } },
      { parent: submitted?.span, pid: second.child.pid, attributes: { 'mulligan.outcome': 'succeeded' } },
    ])
    expect(named('mulligan attempt work')).toMatchObject([
      { parent: runs[0]?.span, attributes: { 'error.type': 'overloaded', 'mulligan.attempt': 1 } },
      { parent: runs[1]?.span, attributes: { 'mulligan.attempt': 2 } },
    ])
  },
)
