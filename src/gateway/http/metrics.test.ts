import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { TestApi } from '../../../test/gateway/http/api.ts'
import { alertsIn, evaluate } from '../../../test/gateway/http/promql.ts'
import { askedIn, labelsOn } from '../../../test/gateway/http/promql-labels.ts'
import { defineCapability } from '../../capability/define.ts'
import { classify } from '../../failure/classify.ts'
import type { Failure } from '../../failure/failure.ts'
import { scriptedCapability } from '../../testing/scripted.ts'
import { realTime } from '../../time/time.ts'
import { EventCounting } from './metrics/event-counting.ts'
import { expositionOf } from './metrics/exposition.ts'
import { Counter, Histogram } from './metrics/series.ts'

const TOML = `
[[provider]]
id = "work"
[[provider.caps]]
per = "day"
usd = 10
`

let api: TestApi
/** Added to the clock, so every page is made anew. */
let later = 0
beforeEach(async () => {
  const time = { ...realTime, monotonic: () => realTime.monotonic() + later }
  const fine = scriptedCapability({ name: 'fine', provider: 'work', rest: { done: true } })
  const bad = scriptedCapability({
    name: 'bad',
    provider: 'work',
    script: [{ fails: 'overloaded' }, { fails: 'invalid_request' }],
  })
  const refused = scriptedCapability({
    name: 'refused',
    provider: 'work',
    script: Array.from({ length: 8 }, () => ({ fails: 'invalid_request' as const })),
  })
  const model = scriptedCapability({
    name: 'model',
    provider: 'work',
    rest: {
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'hi' }],
      usage: { input_tokens: 60, output_tokens: 7, cache_read_input_tokens: 40 },
    },
  })
  const paid = defineCapability({
    name: 'paid',
    params: z.object({}),
    provider: 'work',
    retry: 'replay',
    run: (_params, { record }) => {
      record({ costUsd: 0.25 })
      return 'done'
    },
  })
  const capabilities = [...[fine, bad, refused, model].map(({ capability }) => capability), paid]
  api = await TestApi.start({ toml: TOML, capabilities, time })
})
afterEach(() => api.close())

async function ran(capability: string, count = 1): Promise<void> {
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) ids.push((await api.queue.submit(capability)).id)
  const runner = api.queue.runner()
  await runner.start()
  for (const id of ids) while (!(await isOver(id))) await api.queue.retry(id)
  await runner.stop()
}

/** Resolves when a run has ended; true if the operation has ended too. */
async function isOver(id: string): Promise<boolean> {
  const { ledger } = api.queue
  for (;;) {
    const found = await ledger.get(id)
    if (found?.state === 'succeeded' || found?.state === 'dead') return true
    if (found?.state === 'scheduled' && found.run > 0) return false
    await new Promise<void>(resolve => {
      const stop = ledger.onChange(() => {
        stop()
        resolve()
      })
    })
  }
}

async function scraped(): Promise<string> {
  later += 2_000
  const { status, json } = await api.send('/metrics', { token: api.readOnlyToken })
  expect(status).toBe(200)
  return json
}

function value(page: string, series: string): number | undefined {
  const line = page.split('\n').find(each => each.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

const promtool =
  (...argv: string[]) =>
  (input?: string) =>
    spawnSync('promtool', argv, { encoding: 'utf8', ...(input === undefined ? {} : { input }) })
const hasPromtool = promtool('--version')().status === 0
const example = (name: string) =>
  fileURLToPath(new URL(`../../../examples/prometheus/${name}`, import.meta.url))

describe('metrics', () => {
  it('count tries, failures, verdicts, ends, waits and durations of all processes', async () => {
    expect(value(await scraped(), 'mulligan_submitted_total')).toBe(0)
    await ran('fine', 2)
    await ran('bad')
    const page = await scraped()
    expect(value(page, 'mulligan_submitted_total')).toBe(3)
    expect(value(page, 'mulligan_ended_total{outcome="succeeded"}')).toBe(2)
    expect(value(page, 'mulligan_ended_total{outcome="refused"}')).toBe(1)
    expect(value(page, 'mulligan_attempts_total{provider="work",class="ok"}')).toBe(2)
    expect(value(page, 'mulligan_attempts_total{provider="work",class="transient"}')).toBe(1)
    expect(value(page, 'mulligan_attempts_total{provider="work",class="permanent"}')).toBe(1)
    expect(value(page, 'mulligan_failures_total{class="transient",kind="overloaded"}')).toBe(1)
    expect(value(page, 'mulligan_verdicts_total{action="retry"}')).toBe(1)
    expect(value(page, 'mulligan_verdicts_total{action="cancel"}')).toBe(1)
    expect(value(page, 'mulligan_attempt_duration_seconds_count{provider="work"}')).toBe(4)
    expect(value(page, 'mulligan_run_duration_seconds_count{outcome="succeeded"}')).toBe(2)
    expect(value(page, 'mulligan_wait_seconds_bucket{verdict="retry",le="1"}')).toBe(0)
    expect(value(page, 'mulligan_wait_seconds_bucket{verdict="retry",le="60"}')).toBe(1)
  })

  it('count the tokens of tries, which their records have too', async () => {
    await scraped()
    await ran('model')
    const page = await scraped()
    expect(value(page, 'mulligan_tokens_total{provider="work",kind="input"}')).toBe(60)
    expect(value(page, 'mulligan_tokens_total{provider="work",kind="cached"}')).toBe(40)
    expect(value(page, 'mulligan_tokens_total{provider="work",kind="output"}')).toBe(7)
    const { items } = await api.queue.ledger.list({ capability: 'model' })
    const { json } = await api.send(`/v1/operations/${items[0]?.id}/attempts`)
    expect(json.attempts).toMatchObject([
      {
        model: 'm',
        usage: { input_tokens: 100, output_tokens: 7, cached_tokens: 40, cache_write_tokens: 0 },
      },
    ])
  })

  it('show the bill of all programs', async () => {
    const place = { at: 0, client: 'claude', session: 's', provider: 'anthropic', model: 'm' }
    const usage = { inputTokens: 100, outputTokens: 7, cachedTokens: 40, cacheWriteTokens: 0 }
    const line = { ...place, tries: 3, failed: 1, unpriced: 1, usd: 0.25, usage }
    await api.queue.ledger.addToBill([line, { ...line, session: 'other' }])
    const page = await scraped()
    const labels = 'client="claude",provider="anthropic",model="m"'
    expect(value(page, `mulligan_bill_usd_total{${labels}}`)).toBe(0.5)
    expect(value(page, `mulligan_bill_tries_total{${labels},outcome="failed"}`)).toBe(2)
    expect(value(page, `mulligan_bill_unpriced_total{${labels}}`)).toBe(2)
    expect(value(page, `mulligan_bill_tokens_total{${labels},kind="cached"}`)).toBe(80)
    expect(page).not.toContain('other"')
  })

  it('do not take a cancel by hand for a verdict', async () => {
    await scraped()
    const { id } = await api.queue.submit('fine', {}, { at: Date.now() + 3_600_000 })
    await api.queue.cancel(id)
    const page = await scraped()
    expect(value(page, 'mulligan_ended_total{outcome="cancelled"}')).toBe(1)
    expect(value(page, 'mulligan_verdicts_total{action="cancel"}')).toBeUndefined()
  })

  it('show the state of operations, providers and requests', async () => {
    await api.queue.submit('fine', {}, { at: Date.now() + 3_600_000 })
    await api.queue.submit('fine', {}, { at: Date.now() - 60_000 })
    const before = await scraped()
    expect(value(before, 'mulligan_operations{state="scheduled"}')).toBe(2)
    expect(value(before, 'mulligan_operations_due')).toBe(1)
    expect(value(before, 'mulligan_due_lag_seconds')).toBeGreaterThanOrEqual(60)
    await api.post('/v1/providers/work/pause')
    await api.send('/v1/nothing')
    const page = await scraped()
    expect(value(page, 'mulligan_operations_held')).toBe(1)
    expect(value(page, 'mulligan_provider_admits{provider="work"}')).toBe(0)
    expect(value(page, 'mulligan_provider_paused{provider="work"}')).toBe(1)
    expect(value(page, 'mulligan_provider_breaker{provider="work",state="closed"}')).toBe(1)
    expect(value(page, 'mulligan_provider_window_limit{provider="work",window="day",unit="usd"}')).toBe(10)
    const requests = 'mulligan_http_requests_total{method="GET",route="unknown",status="404"}'
    expect(value(page, requests)).toBe(1)
    api.isReady = false
    expect(value(await scraped(), 'mulligan_ready')).toBe(0)
  })

  it('continue after a restart, and include what happened meanwhile', async () => {
    await scraped()
    await ran('fine')
    await api.gateway.stop()
    await ran('fine', 2)
    const { ledger } = api.queue
    const errors: unknown[] = []
    const counted = async () => {
      const counting = new EventCounting({ ledger, time: realTime, onError: error => errors.push(error) })
      const page = expositionOf(await counting.families())
      await counting.stop()
      return page
    }
    const page = await counted()
    expect(value(page, 'mulligan_ended_total{outcome="succeeded"}')).toBe(3)
    expect(value(page, 'mulligan_attempts_total{provider="work",class="ok"}')).toBe(3)
    // Restart again: nothing may be counted twice.
    expect(await counted()).toBe(page)
    expect(errors).toEqual([])
  })

  it('skip events after a very long time without a scrape, and say how many', async () => {
    const { ledger } = api.queue
    await ledger.setSetting('metrics', { position: -300_000, counts: {} })
    await api.queue.submit('fine')
    const page = await scraped()
    expect(value(page, 'mulligan_submitted_total')).toBe(0)
    expect(value(page, 'mulligan_metrics_skipped_events_total')).toBeGreaterThan(300_000)
  })

  it('are read from the ledger once for simultaneous scrapes', async () => {
    let asked = 0
    const { status } = api.queue
    api.queue.status = () => {
      asked += 1
      return status.call(api.queue)
    }
    await Promise.all([scraped(), api.send('/metrics'), api.send('/metrics')])
    expect(asked).toBe(1)
    await scraped()
    expect(asked).toBe(2)
  })

  it('count unknown HTTP methods together, and pending notices, deliveries and unknowns', async () => {
    await api.send('/v1/status', { method: 'PROPFIND' })
    await api.queue.ledger.transaction(writes => {
      const expiresAt = Date.now() + 1_000_000
      const notice = { type: 'dead', title: 'x', body: 'x', priority: 'high', expiresAt } as const
      writes.addNotice({ ...notice, key: 'a', disposition: 'actionable' })
      writes.addNotice({ ...notice, key: 'b', disposition: 'information', readAt: 1 })
      writes.addDelivery({ notice: 'notice_1', surface: 'hook' })
      const failure = classify('the flux capacitor is detuned') as Failure
      writes.recordUnknown({ failure, at: 1, outcome: 'ended' })
    })
    const page = await scraped()
    expect(value(page, 'mulligan_http_requests_total{method="other",route="unknown",status="405"}')).toBe(1)
    expect(value(page, 'mulligan_notices_unread{disposition="actionable"}')).toBe(1)
    expect(value(page, 'mulligan_notices_unread{disposition="information"}')).toBe(0)
    expect(value(page, 'mulligan_deliveries{state="pending"}')).toBe(1)
    expect(value(page, 'mulligan_unknowns')).toBe(1)
  })

  it('need a token', async () => {
    expect((await api.send('/metrics', { token: null })).status).toBe(401)
  })

  it.skipIf(!hasPromtool)('are valid for Prometheus', async () => {
    await ran('fine')
    await ran('bad')
    const page = await scraped()
    const { status, stdout, stderr } = promtool('check', 'metrics')(page)
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
  })
})

function boardExpressions(): string[] {
  const board = JSON.parse(readFileSync(example('grafana-board.json'), 'utf8')) as {
    panels: { targets: { expr: string }[] }[]
  }
  return board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
}

describe('the example board and rules', () => {
  it('use only existing metrics', async () => {
    const known = new Set([...(await scraped()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
    const texts = [readFileSync(example('mulligan-alerts.yml'), 'utf8'), ...boardExpressions()]
    const asked = texts.flatMap(text =>
      [...text.matchAll(/\b(?:mulligan|process)_[a-z_]+/g)].map(([name]) => name),
    )
    const missing = asked.filter(
      name => !known.has(name) && !known.has(name.replace(/_(?:bucket|sum|count)$/, '')),
    )
    expect(missing).toEqual([])
    expect(new Set(asked).size).toBeGreaterThan(20)
  })

  it('use only labels that those metrics have', async () => {
    // Counting starts with the first scrape, and a request is counted after its answer.
    await scraped()
    for (const capability of ['fine', 'bad', 'paid']) await ran(capability)
    const labels = labelsOn(await scraped())
    const texts = [
      ...alertsIn(readFileSync(example('mulligan-alerts.yml'), 'utf8')).values(),
      ...boardExpressions(),
    ]
    const asked = texts.flatMap(askedIn)
    const wrong = asked.flatMap(({ metric, labels: wanted }) => {
      const sets = labels.get(metric)
      if (sets === undefined) return [`${metric}: no sample`]
      return wanted
        .filter(label => !sets.every(set => set.includes(label)))
        .map(label => `${metric}: no label ${label}`)
    })
    expect(wrong).toEqual([])
    expect(asked.filter(({ labels: wanted }) => wanted.length > 0).length).toBeGreaterThan(15)
    expect(
      askedIn('sum by (le) (max by (provider, le) (rate(mulligan_x_bucket{a="b"}[5m]))) / mulligan_y'),
    ).toEqual([
      { metric: 'mulligan_x_bucket', labels: ['a', 'le', 'provider'] },
      { metric: 'mulligan_y', labels: [] },
    ])
  })

  it('raise the alarm on the first burst after the start, and no other', async () => {
    const alerts = alertsIn(readFileSync(example('mulligan-alerts.yml'), 'utf8'))
    expect(alerts.size).toBeGreaterThan(8)
    const first = { at: 0, text: await scraped() }
    await ran('refused', 8)
    later += 60_000
    const scrapes = [first, { at: 60, text: await scraped() }]
    const raised = [...alerts].filter(([, expression]) => evaluate(expression, scrapes).length > 0)
    expect(raised.map(([name]) => name)).toEqual(['MulliganDeadOperations', 'MulliganFailuresRise'])
    const [died] = evaluate(alerts.get('MulliganDeadOperations') as string, scrapes)
    expect(died?.value).toBe(8)
  })

  it.skipIf(!hasPromtool)('contain rules that Prometheus accepts', () => {
    expect(promtool('check', 'rules', example('mulligan-alerts.yml'))()).toMatchObject({ status: 0 })
  })
})

describe('a series', () => {
  it('is limited to 200 values per label, and counts the rest together', () => {
    const counter = new Counter('c_total', 'Counts.')
    for (let n = 0; n < 250; n += 1) counter.add({ provider: `p${n}` })
    counter.add({ provider: 'p3' }, 2)
    const samples = counter.samples()
    expect(samples).toHaveLength(201)
    expect(samples.find(({ labels }) => labels.provider === 'other')?.value).toBe(50)
    expect(samples.find(({ labels }) => labels.provider === 'p3')?.value).toBe(3)
  })

  it('ignores an amount that would make it decrease or become NaN', () => {
    const counter = new Counter('c_total', 'Counts.')
    for (const amount of [2, -1, Number.NaN, Infinity]) counter.add({}, amount)
    expect(counter.samples()).toEqual([{ labels: {}, value: 2 }])
  })

  it('has cumulative buckets', () => {
    const histogram = new Histogram('h', 'Observes.', [1, 10])
    for (const seconds of [0, 1, 1.5, 10, 11, -1]) histogram.observe({ of: 'x' }, seconds)
    expect(expositionOf([histogram])).toBe(
      '# HELP h Observes.\n# TYPE h histogram\nh_bucket{of="x",le="1"} 2\nh_bucket{of="x",le="10"} 4\n' +
        'h_bucket{of="x",le="+Inf"} 5\nh_sum{of="x"} 23.5\nh_count{of="x"} 5\n',
    )
  })

  it('escapes the name of a provider', () => {
    const counter = new Counter('c_total', 'Counts.')
    counter.add({ provider: 'a"b\\c\nd' })
    expect(expositionOf([counter])).toContain('c_total{provider="a\\"b\\\\c\\nd"} 1')
  })
})
