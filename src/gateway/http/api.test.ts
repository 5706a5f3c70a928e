import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { TestApi } from '../../../test/gateway/http/api.ts'
import { defineWorker } from '../../adapter/job/worker.ts'
import { defineCapability } from '../../capability/define.ts'
import { scriptedCapability } from '../../testing/scripted.ts'
import type { Route } from './route.ts'

const TOML = `
[[provider]]
id = "work"
[[capability]]
name = "fine"
argv = ["true"]
retry = "replay"
[[schedule]]
name = "nightly"
cron = "0 3 * * *"
capability = "fine"
`

const sign = defineCapability({
  name: 'sign',
  params: z.object({ text: z.string(), token: z.string() }),
  secrets: ['token'],
  retry: 'replay',
  run: async ({ text }) => `signed ${text}`,
})

let api: TestApi
beforeEach(async () => {
  const { capability: fine } = scriptedCapability({ name: 'fine', rest: { done: true } })
  api = await TestApi.start({ toml: TOML, capabilities: [fine, sign] })
})
afterEach(() => api.close())

it('tells a worker of another engine where its ledger is, if it may change it', async () => {
  const { port } = new URL(api.url)
  const worker = defineWorker({
    onProblem: ({ problem }) => expect.fail(problem),
    run: () => Promise.reject(new Error('flurbl')),
  })
  const connection = await worker.connect({ ledger: `http://:${api.token}@127.0.0.1:${port}/` })
  await worker.perform({ engine: 'mine', queue: 'q', jobId: '1', job: {}, data: {} })
  await connection.close()
  expect(await api.get('/v1/operations?engine=mine')).toMatchObject({
    operations: [{ capability: 'engine:mine/q' }],
  })
  expect((await api.send('/v1/ledger', { token: null })).status).toBe(401)
})

it('says how large the ledger is, and how long history is kept', async () => {
  const answer = await api.send('/v1/ledger/size')
  expect(api.undocumented(routeOf('getLedgerSize'), answer)).toEqual([])
  expect(answer.json).toMatchObject({ bytes: expect.any(Number), samples: [], retention: [{}, {}, {}, {}] })
  expect(answer.json.retention[0]).toEqual({ key: 'succeeded', after_ms: 30 * 86_400_000, set_in: 'config' })
})

it('sets how long history is kept, and returns to the config', async () => {
  const patch = (body: unknown, token?: string) =>
    api.send('/v1/ledger/retention', { method: 'PATCH', body, ...(token ? { token } : {}) })
  const set = await patch({ dead: 3_600_000, events: 7_200_000 })
  expect(api.undocumented(routeOf('setRetention'), set)).toEqual([])
  expect(set.json.retention.slice(0, 3)).toEqual([
    { key: 'succeeded', after_ms: 30 * 86_400_000, set_in: 'config' },
    { key: 'dead', after_ms: 3_600_000, set_in: 'ledger' },
    { key: 'events', after_ms: 7_200_000, set_in: 'ledger' },
  ])
  expect((await patch({ dead: null })).json.retention).toMatchObject([
    { set_in: 'config' },
    { set_in: 'config' },
    { key: 'events', after_ms: 7_200_000, set_in: 'ledger' },
    { set_in: 'config' },
  ])
  expect((await api.get('/v1/ledger/size')).retention[2]).toMatchObject({ after_ms: 7_200_000 })
  for (const wrong of [{ events: 3_599_999 }, { dead: -1 }, { dead: 1e15 }, { dead: '1d' }, { daed: 1 }])
    expect(await patch(wrong)).toMatchObject({ status: 400 })
  expect((await api.get('/v1/audit')).changes).toMatchObject([{ action: 'setRetention' }, {}])
})

const routeOf = (id: string) => api.gateway.routes.find(each => each.id === id) as Route

async function submitted(body: Record<string, unknown> = { capability: 'fine' }): Promise<string> {
  const answer = await api.post('/v1/operations', body)
  expect(api.undocumented(routeOf('submitOperation'), answer)).toEqual([])
  return answer.json.id
}

async function ranAll(): Promise<void> {
  const { ledger } = api.queue
  const runner = api.queue.runner()
  await runner.start()
  for (const { id } of (await ledger.list()).items) await api.queue.wait(id)
  await runner.stop()
}

describe('operations', () => {
  it('are submitted, and found by their properties', async () => {
    const answer = await api.post('/v1/operations', { capability: 'fine', params: { n: 1 }, priority: 3 })
    expect(answer).toMatchObject({
      status: 201,
      json: {
        state: 'scheduled',
        params: { n: 1 },
        priority: 3,
        source: 'http',
        created: true,
        has_runner: false,
      },
    })
    expect(answer.headers.get('location')).toBe(`/v1/operations/${answer.json.id}`)
    expect(await api.get('/v1/operations?state=scheduled&state=dead&capability=fine')).toMatchObject({
      operations: [{ id: answer.json.id }],
    })
    expect(await api.get('/v1/operations?state=dead')).toEqual({ operations: [] })
    expect(await api.get(`/v1/operations?id=op_999&id=${answer.json.id}`)).toMatchObject({
      operations: [{ id: answer.json.id }],
    })
    expect(await api.get('/v1/operations?id=op_999')).toEqual({ operations: [] })
    expect(await api.get('/v1/operations?since=2100-01-01T00:00:00Z')).toEqual({ operations: [] })
    const count = await api.send('/v1/operations/count?capability=fine')
    expect(count.json).toMatchObject({ total: 1, states: { scheduled: 1, dead: 0 } })
    expect(api.undocumented(routeOf('countOperations'), count)).toEqual([])
  })

  it('keep all fields of their submission', async () => {
    const said = {
      capability: 'fine',
      params: { n: 1 },
      at: '2099-01-01T00:00:00.000Z',
      key: 'k',
      key_retention_ms: 5,
      priority: 2,
      providers: ['work'],
      session: 's',
      context: { of: 'mine' },
      max_retries: 7,
      retry_for_ms: 9_000,
    }
    const { at, key_retention_ms: _, ...rest } = said
    expect(await api.get(`/v1/operations/${await submitted(said)}`)).toMatchObject({ ...rest, due_at: at })
  })

  it('keep every letter of any alphabet', async () => {
    const context = { text: 'Grüße, Ω ≈ ∞, 日本語, 🏌️' }
    const { json } = await api.post('/v1/operations', { capability: 'fine', context })
    expect(json.context).toEqual(context)
    expect((await api.get(`/v1/operations/${json.id}`)).context).toEqual(context)
  })

  it('keep the trace of the request, unless it is malformed', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const traced = await api.post('/v1/operations', { capability: 'fine' }, { traceparent })
    expect(traced.json).toMatchObject({ traceparent })
    const batch = await api.post(
      '/v1/operations/batch',
      { operations: [{ capability: 'fine' }] },
      { traceparent },
    )
    expect(await api.get(`/v1/operations/${batch.json.operations[0].id}`)).toMatchObject({ traceparent })
    for (const wrong of ['00-0-0-00', 'x', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`]) {
      const { status, json } = await api.post(
        '/v1/operations',
        { capability: 'fine' },
        { traceparent: wrong },
      )
      expect({ status, traceparent: json.traceparent }).toEqual({ status: 201, traceparent: undefined })
    }
  })

  it('come a page at a time, newest first', async () => {
    for (let n = 0; n < 5; n += 1) await submitted()
    const first = await api.get('/v1/operations?limit=3')
    const second = await api.get(`/v1/operations?limit=3&cursor=${first.next}`)
    const ids = [...first.operations, ...second.operations].map(({ id }: { id: string }) => id)
    expect(ids).toEqual(['op_5', 'op_4', 'op_3', 'op_2', 'op_1'])
    expect(second.next).toBeUndefined()
    expect((await api.send('/v1/operations?cursor=nonsense')).status).toBe(400)
  })

  it('are submitted once under a key, in the body or the header', async () => {
    const body = { capability: 'fine', params: { n: 1 } }
    const first = await api.post('/v1/operations', { ...body, key: 'k' })
    const again = await api.post('/v1/operations', body, { 'idempotency-key': '"k"' })
    expect(again).toMatchObject({ status: 200, json: { id: first.json.id, created: false } })
    const other = await api.post('/v1/operations', { ...body, params: { n: 2 }, key: 'k' })
    expect(other).toMatchObject({ status: 409, json: { code: 'key_conflict' } })
    const both = await api.post('/v1/operations', { ...body, key: 'k' }, { 'idempotency-key': 'l' })
    expect(both).toMatchObject({ status: 400, json: { detail: expect.stringContaining('differ') } })
  })

  it('are refused as a batch under one key, which a repeated request would not be safe with', async () => {
    const body = { operations: [{ capability: 'fine', key: 'k' }] }
    const refused = await api.post('/v1/operations/batch', body, { 'idempotency-key': 'k' })
    expect(refused).toMatchObject({ status: 400, json: { detail: expect.stringContaining('its own key') } })
    expect((await api.get('/v1/operations')).operations).toEqual([])
    expect((await api.post('/v1/operations/batch', body, { 'idempotency-key': '' })).status).toBe(200)
  })

  it('are submitted in a batch: all or none', async () => {
    const answer = await api.post('/v1/operations/batch', {
      operations: [{ capability: 'fine' }, { capability: 'fine', at: '2099-01-01T00:00:00+02:00' }],
    })
    expect(answer.json.operations).toEqual([
      { id: 'op_1', created: true, due_at: expect.any(String) },
      { id: 'op_2', created: true, due_at: '2098-12-31T22:00:00.000Z' },
    ])
    expect(api.undocumented(routeOf('submitOperations'), answer)).toEqual([])
    const refused = await api.post('/v1/operations/batch', {
      operations: [{ capability: 'fine' }, { capability: 'nowhere' }],
    })
    expect(refused).toMatchObject({ status: 422, json: { code: 'unknown_capability' } })
    expect((await api.get('/v1/operations/count')).total).toBe(2)
  })

  it('show state, history, attempts and result, and never a secret', async () => {
    const id = await submitted({ capability: 'sign', params: { text: 'a', token: 'hush-hush' } })
    await ranAll()
    const found = await api.send(`/v1/operations/${id}`)
    expect(found.json).toMatchObject({ state: 'succeeded', result: 'signed a', params: { text: 'a' } })
    expect(JSON.stringify(found.json)).not.toContain('hush')
    expect(api.undocumented(routeOf('getOperation'), found)).toEqual([])
    const timeline = await api.send(`/v1/operations/${id}/timeline`)
    expect(timeline.json.timeline.map(({ type }: { type: string }) => type)).toContain('succeeded')
    expect(api.undocumented(routeOf('getTimeline'), timeline)).toEqual([])
    const attempts = await api.send(`/v1/operations/${id}/attempts`)
    expect(attempts.json.attempts).toHaveLength(1)
    expect(api.undocumented(routeOf('getAttempts'), attempts)).toEqual([])
    const result = await api.send(`/v1/operations/${id}/result`)
    expect(result.json).toEqual({ result: 'signed a' })
  })

  it('are waited for until they end or the time is up', async () => {
    const id = await submitted()
    expect((await api.get(`/v1/operations/${id}?wait_ms=1`)).state).toBe('scheduled')
    const waiting = api.get(`/v1/operations/${id}?wait_ms=60000`)
    await ranAll()
    expect((await waiting).state).toBe('succeeded')
    expect((await api.send(`/v1/operations/${id}/result`)).json).toEqual({ result: { done: true } })
  })

  it('are cancelled, retried, resumed, edited and discarded', async () => {
    const id = await submitted({ capability: 'sign', params: { text: 'a', token: 'hush' } })
    const edited = await api.send(`/v1/operations/${id}`, {
      method: 'PATCH',
      body: { changed_params: { text: 'b' }, priority: -2, at: '2099-01-01T00:00:00Z' },
    })
    expect(edited.json).toMatchObject({
      params: { text: 'b' },
      priority: -2,
      due_at: '2099-01-01T00:00:00.000Z',
    })
    expect(await api.post(`/v1/operations/${id}/retry`)).toMatchObject({ json: { outcome: 'hastened' } })
    expect(await api.post(`/v1/operations/${id}/resume`)).toMatchObject({ status: 409 })
    expect(await api.post(`/v1/operations/${id}/cancel`)).toMatchObject({ json: { outcome: 'cancelled' } })
    expect(await api.post(`/v1/operations/${id}/cancel`)).toMatchObject({
      status: 409,
      json: { code: 'no_change' },
    })
    expect(await api.send(`/v1/operations/${id}/result`)).toMatchObject({ status: 409 })
    expect(await api.post(`/v1/operations/${id}/retry`)).toMatchObject({ json: { outcome: 'revived' } })
    await ranAll()
    expect((await api.get(`/v1/operations/${id}`)).result).toBe('signed b')
    // The newest operation is kept, so its number is not reused.
    await submitted()
    expect(await api.post(`/v1/operations/${id}/discard`)).toMatchObject({ json: { outcome: 'discarded' } })
    expect(await api.send(`/v1/operations/${id}`)).toMatchObject({ status: 404, json: { code: 'missing' } })
    const nothing = await api.send('/v1/operations/op_2', { method: 'PATCH', body: {} })
    expect(nothing).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining('nothing to change') },
    })
  })

  it('are resumed by hand when parked', async () => {
    const id = await submitted({ capability: 'nowhere', unchecked: true })
    await api.queue.ledger.transaction(writes =>
      writes.park(id, { for: 'runner', reason: 'no runner has it', origin: 'runner' } as never),
    )
    const answer = await api.post(`/v1/operations/${id}/resume`, { reason: 'there is one now' })
    expect(answer.json).toMatchObject({ state: 'scheduled' })
  })

  it('have their parameters changed where no worker is that could check them, if another engine has them', async () => {
    const foreign = await submitted({ capability: 'engine:bullmq/reviews', unchecked: true })
    const answer = await api.send(`/v1/operations/${foreign}`, {
      method: 'PATCH',
      body: { params: { n: 7 } },
    })
    expect(answer).toMatchObject({ status: 200, json: { params: { n: 7 } } })
    const own = await submitted({ capability: 'nowhere', unchecked: true })
    expect(
      await api.send(`/v1/operations/${own}`, { method: 'PATCH', body: { params: { n: 7 } } }),
    ).toMatchObject({ status: 422, json: { code: 'unknown_capability' } })
  })

  it('are changed in bulk exactly as previewed, once', async () => {
    for (let n = 0; n < 3; n += 1) await submitted()
    const preview = await api.post('/v1/operations/bulk/preview', {
      action: 'cancel',
      filter: { state: ['scheduled'] },
    })
    expect(preview.json).toMatchObject({ total: 3, counts: { cancelled: 3 } })
    expect(api.undocumented(routeOf('previewBulk'), preview)).toEqual([])
    const later = await submitted()
    const { token } = preview.json
    const done = await api.post('/v1/operations/bulk/apply', { token })
    expect(done.json).toEqual({ counts: { cancelled: 3 }, left: [] })
    expect((await api.get(`/v1/operations/${later}`)).state).toBe('scheduled')
    expect(await api.post('/v1/operations/bulk/apply', { token })).toMatchObject({ status: 410 })
  })

  it('are made from a call that failed elsewhere', async () => {
    const answer = await api.post('/v1/operations/hand_over', {
      capability: 'fine',
      failed: { status: 503, body: 'overloaded' },
    })
    expect(answer).toMatchObject({ status: 202, json: { queued_for_retry: true, operation_id: 'op_1' } })
    expect(api.undocumented(routeOf('handOver'), answer)).toEqual([])
    const told = await api.post('/v1/operations/hand_over', {
      capability: 'fine',
      failed: { status: 503 },
      provider: 'work',
      model: 'large',
      tries: 3,
      session: 's1',
      max_retries: 9,
    })
    const path = `/v1/operations/${told.json.operation_id}`
    const attempts = await api.send(`${path}/attempts`)
    expect(attempts.json.attempts).toHaveLength(3)
    expect(attempts.json.attempts[2]).toMatchObject({ provider: 'work', failure: { model: 'large' } })
    expect(api.undocumented(routeOf('getAttempts'), attempts)).toEqual([])
    expect(await api.get(path)).toMatchObject({
      session: 's1',
      source: 'http',
      max_retries: 9,
      retries: 3,
    })
    const final = await api.post('/v1/operations/hand_over', { capability: 'fine', failed: { status: 400 } })
    expect(final).toMatchObject({ status: 409, json: { code: 'failed' } })
  })
})

describe('the API', () => {
  it('shows the same status as the command', async () => {
    await submitted()
    const status = await api.send('/v1/status')
    expect(status.json).toMatchObject({
      retry_queue: { queued: 1 },
      due: 1,
      schedules: [{ name: 'nightly' }],
    })
    expect(api.undocumented(routeOf('getStatus'), status)).toEqual([])
  })

  it('answers a poll without changes with 304', async () => {
    const { headers } = await api.send('/v1/operations')
    const etag = headers.get('etag') as string
    const same = await api.send('/v1/operations', { headers: { 'if-none-match': etag } })
    expect(same.status).toBe(304)
    for (const tags of ['*', `"other", W/${etag}`])
      expect((await api.send('/v1/operations', { headers: { 'if-none-match': tags } })).status).toBe(304)
    await submitted()
    const other = await api.send('/v1/operations', { headers: { 'if-none-match': etag } })
    expect(other.status).toBe(200)
    expect(other.headers.get('etag')).not.toBe(etag)
  })

  it('pauses and resumes the queue and capabilities', async () => {
    const paused = await api.post('/v1/queue/pause')
    expect(paused.json.paused.queue).toBe(true)
    expect(api.undocumented(routeOf('pauseQueue'), paused)).toEqual([])
    expect((await api.post('/v1/queue/resume', {})).json.paused.queue).toBe(false)
    expect((await api.post('/v1/queue/pause', { capability: 'fine' })).json.paused.capabilities).toEqual([
      'fine',
    ])
    const wrong = await api.post('/v1/queue/pause', { capability: 'fien' })
    expect(wrong).toMatchObject({
      status: 422,
      json: { detail: expect.stringContaining('did you mean "fine"') },
    })
  })

  it('deletes old history, by the ages of the config or of the request', async () => {
    const { id } = (await api.post('/v1/operations', { capability: 'fine', at: '2099-01-01T00:00:00Z' })).json
    await api.post(`/v1/operations/${id}/cancel`)
    const nothing = await api.post('/v1/prune')
    expect(nothing).toMatchObject({ status: 200, json: { succeeded: 0, dead: 0, freed_bytes: 0 } })
    await expect.poll(async () => (await api.post('/v1/prune', { dead_ms: 0 })).json.dead).toBe(1)
    expect((await api.send(`/v1/operations/${id}`)).status).toBe(404)
    expect((await api.post('/v1/prune', { dead: 0 })).json.detail).toBe(
      'body.dead: unknown name; did you mean dead_ms?',
    )
  })

  it('lists, pauses, resets and probes providers', async () => {
    const list = await api.send('/v1/providers')
    expect(list.json.providers).toMatchObject([{ id: 'work', admits: true }])
    expect(api.undocumented(routeOf('listProviders'), list)).toEqual([])
    const paused = await api.post('/v1/providers/work/pause', { reason: 'too dear' })
    expect(paused.json).toMatchObject({ admits: false, paused: { reason: 'too dear' } })
    expect((await api.get('/v1/status')).paused.providers).toEqual(['work'])
    expect((await api.post('/v1/providers/work/resume')).json.admits).toBe(true)
    expect((await api.post('/v1/providers/work/reset')).json.admits).toBe(true)
    const probed = await api.post('/v1/providers/work/probe')
    expect(probed.json).toMatchObject({ provider: 'work', outcome: 'skipped' })
    expect(api.undocumented(routeOf('probeProvider'), probed)).toEqual([])
    expect((await api.post('/v1/providers/probe')).json).toEqual({ probes: [] })
    const wrong = await api.send('/v1/providers/wrok')
    expect(wrong).toMatchObject({ status: 404, json: { detail: expect.stringContaining('"work"') } })
  })

  it('lists schedules, and runs one now', async () => {
    const list = await api.send('/v1/schedules')
    expect(list.json.schedules).toMatchObject([{ name: 'nightly', cron: '0 3 * * *' }])
    expect(list.json.schedules[0].upcoming).toHaveLength(5)
    expect(api.undocumented(routeOf('listSchedules'), list)).toEqual([])
    const run = await api.post('/v1/schedules/nightly/run')
    expect(run).toMatchObject({ status: 201, json: { source: 'cron', context: { cron: 'nightly' } } })
    expect((await api.post('/v1/schedules/nihgtly/run')).status).toBe(404)
  })

  it('pauses and resumes a schedule, and says since when and by whom', async () => {
    const paused = await api.post('/v1/schedules/nightly/pause', { reason: 'audit' })
    expect(paused).toMatchObject({
      status: 200,
      json: {
        next_at: null,
        upcoming: [],
        paused: { by: expect.stringContaining('token'), reason: 'audit' },
      },
    })
    expect(api.undocumented(routeOf('pauseSchedule'), paused)).toEqual([])
    expect((await api.send('/v1/schedules')).json.schedules[0].paused).toEqual(paused.json.paused)
    const resumed = await api.post('/v1/schedules/nightly/resume')
    expect(resumed.json).toMatchObject({ paused: null, next_at: expect.any(String) })
    expect((await api.post('/v1/schedules/nihgtly/pause')).json.detail).toContain('did you mean "nightly"?')
    const { changes } = (await api.send('/v1/audit')).json
    expect(changes.slice(0, 2)).toMatchObject([
      { action: 'resumeSchedule', subject: 'nightly' },
      { action: 'pauseSchedule', subject: 'nightly', reason: 'audit' },
    ])
  })

  it('shows the config without secrets, and the capabilities', async () => {
    const config = await api.send('/v1/config')
    expect(config.json.values).toContainEqual(expect.objectContaining({ path: 'schedule[nightly].cron' }))
    const capabilities = await api.send('/v1/capabilities')
    expect(api.undocumented(routeOf('listCapabilities'), capabilities)).toEqual([])
    const found = capabilities.json.capabilities.find(({ name }: { name: string }) => name === 'sign')
    expect(found).toMatchObject({ secret_params: ['token'], params_schema: { required: ['text', 'token'] } })
  })

  it('is alive without a token, and ready once a config is in force', async () => {
    expect(await api.send('/healthz', { token: null })).toMatchObject({ status: 200, json: { ok: true } })
    expect(await api.send('/readyz')).toMatchObject({ status: 200, json: { ready: true } })
    api.isReady = false
    const answer = await api.send('/readyz')
    expect(answer).toMatchObject({ status: 503, json: { code: 'not_ready' } })
    expect(answer.headers.get('retry-after')).toBe('1')
    expect((await api.send('/healthz', { token: null })).status).toBe(200)
  })

  it('answers an unexpected error with a 500 without details, and logs the error', async () => {
    api.queue.registry.get = () => {
      throw new TypeError('secret inside')
    }
    const answer = await api.post('/v1/operations', { capability: 'fine' })
    expect(answer).toMatchObject({ status: 500, json: { code: 'internal' } })
    expect(JSON.stringify(answer.json)).not.toContain('secret inside')
    expect(api.answered.at(-1)).toMatchObject({ status: 500, error: expect.any(TypeError) })
  })

  it('ends waits when it stops', async () => {
    const id = await submitted()
    const waiting = api.send(`/v1/operations/${id}?wait_ms=60000`)
    await expect.poll(() => api.waiting).toBe(1)
    await api.gateway.stop()
    expect((await waiting).json.state).toBe('scheduled')
    expect(api.gateway.url).toBeUndefined()
  })
})
