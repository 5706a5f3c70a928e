import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Received, TestApi } from '../../../test/gateway/http/api.ts'
import { SurfaceStub } from '../../../test/notice/stub.ts'
import type { SqliteLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import { defineWorkflow } from '../../workflow/define.ts'
import { WorkflowService } from '../../workflow/workflow-service.ts'
import { Workflows } from '../../workflow/workflows.ts'
import { noticesToActOn } from './notices-to-act-on.ts'
import type { Route } from './route.ts'

let stub: SurfaceStub
beforeAll(async () => {
  stub = await SurfaceStub.start()
})
afterAll(() => stub.close())

let api: TestApi
beforeEach(async () => {
  stub.faults = []
  api = await TestApi.start({
    toml: `[[surface]]\nname = "hook"\nkind = "webhook"\nurl = "${stub.url}/hook"\n[[surface]]\nname = "phone"\nkind = "telegram"\ntoken = "env:NO_SUCH_TOKEN"\nchat = "1"\nbuttons = true\nquiet = "22:00-07:00"\ntime_zone = "Europe/Berlin"\n`,
  })
})
afterEach(() => api.close())

const undocumented = (id: string, answer: Received) =>
  api.undocumented(api.gateway.routes.find(each => each.id === id) as Route, answer)

const ledger = () => api.queue.ledger as SqliteLedger

/** An expired operation of a session: makes an actionable and an informational notice. */
async function expired(session?: string): Promise<void> {
  await ledger().transaction(writes => {
    const [made] = writes.insert([
      { capability: 'deploy', params: {}, ...(session === undefined ? {} : { session }) },
    ])
    const id = made?.id as string
    writes.park(id, { for: 'label', reason: 'unknown failure' })
    writes.expire(id, 'nothing happened in time')
  })
}

describe('a snoozed notice', () => {
  it('is out of sight until then, by id or with its cause, and says until when', async () => {
    await expired()
    await api.send('/v1/inbox')
    const dead = async (search = '') =>
      (await api.get(`/v1/notices?event=dead${search}`)).notices as { id: string; snoozed_until?: string }[]
    const [{ id }] = (await dead()) as [{ id: string }]
    const answer = await api.post('/v1/inbox/snooze', { ids: [id], for_ms: 3_600_000 })
    expect(undocumented('snoozeNotices', answer)).toEqual([])
    expect(answer.json).toEqual({ snoozed: 1, until: expect.stringMatching(/Z$/) })
    expect(await dead('&unread=true')).toEqual([])
    expect(await dead()).toMatchObject([{ id, snoozed_until: answer.json.until }])
    expect((await noticesToActOn(ledger())).causes).toEqual([])
    expect((await api.post('/v1/inbox/snooze', { like: id, for_ms: 60_000 })).json).toMatchObject({
      snoozed: 0,
    })
  })

  it.each([
    [{ for_ms: 3_600_000 }, 400],
    [{ ids: ['notice_1'], like: 'notice_1', for_ms: 3_600_000 }, 400],
    [{ ids: ['notice_1'], for_ms: 1 }, 400],
    [{ ids: ['notice_1'], for_ms: 1e12 }, 400],
    [{ ids: ['notice_99'], for_ms: 60_000 }, 404],
  ])('is refused for %j', async (body, status) => {
    expect((await api.post('/v1/inbox/snooze', body)).status).toBe(status)
  })
})

describe('the inbox', () => {
  it("shows a session's notices until they are read", async () => {
    await expired('s1')
    const inbox = await api.send('/v1/inbox?session=s1')
    expect(inbox.json.notices).toMatchObject([
      { event: 'dead', disposition: 'actionable', session: 's1' },
      { event: 'parked', disposition: 'information' },
    ])
    expect(undocumented('getInbox', inbox)).toEqual([])
    expect(await api.get('/v1/inbox?session=s2')).toEqual({ notices: [] })
    const [first] = inbox.json.notices
    const read = await api.post('/v1/inbox/read', { ids: [first.id], session: 's1' })
    expect(read.json).toEqual({ read: 1 })
    expect((await api.get('/v1/inbox?session=s1&unread=true')).notices).toMatchObject([{ event: 'parked' }])
    expect((await api.post('/v1/inbox/read', { all: true, session: 's1' })).json).toEqual({ read: 1 })
    const [, shown] = (await api.get('/v1/inbox?session=s1')).notices
    expect(shown).toMatchObject({ read_by: 's1' })
  })

  it('is counted in the overview, with deaths that nobody has looked at; one that runs again is none', async () => {
    await expired()
    await expired()
    await api.get('/v1/inbox')
    const { notices: made } = await api.get('/v1/notices?event=dead')
    expect(made).toHaveLength(2)
    const answer = await api.send('/v1/overview')
    expect(answer.json.notices).toMatchObject({
      to_act_on: 2,
      causes: [
        {
          count: 2,
          operation: made[0].operation,
          title: made[0].title,
          dead_as: 'expired',
          filter: { state: ['dead'], capability: ['deploy'] },
        },
      ],
    })
    expect(undocumented('getOverview', answer)).toEqual([])
    await api.queue.retry(made[0].operation)
    await api.get('/v1/inbox')
    expect(await noticesToActOn(ledger())).toMatchObject({ to_act_on: 1, causes: [{ count: 1 }] })
    const like = made[1].id
    expect((await api.post('/v1/inbox/read', { like })).json).toEqual({ read: 1 })
    expect(await noticesToActOn(ledger())).toMatchObject({ to_act_on: 0, causes: [] })
  })

  it('counts a failed workflow run once, and not at all when it runs again', async () => {
    const asks = defineWorkflow({
      name: 'asks',
      steps: [
        { id: 'approve', ask: 'Really?' },
        { id: 'ship', run: 'deploy', after: ['approve'] },
      ],
    })
    const { id } = await api.queue.start(asks, {})
    const workflows = new Workflows(api.queue)
    const service = new WorkflowService({ queue: api.queue, onError: error => expect(error).toBeUndefined() })
    await service.start()
    await workflows.skip(id, 'approve')
    const ship = async () => (await ledger().list({ capability: 'deploy' })).items[0]?.id
    await expect.poll(ship).toBeDefined()
    const operation = (await ship()) as string
    await ledger().transaction(writes => writes.cancel(operation, 'not needed'))
    await expect.poll(async () => (await workflows.show(id)).run.state).toBe('failed')
    await service.stop()
    await api.get('/v1/inbox')
    expect((await api.get('/v1/overview')).notices).toMatchObject({
      causes: [],
      failed_runs: [{ run: id, workflow: 'asks', reason: 'ship failed: it was cancelled: not needed' }],
    })
    // Behind more causes than are read, of types that are told otherwise and of others.
    for (const [type, most] of [
      ['unknown', 60],
      ['dead', 20],
    ] as const)
      for (let n = 0; n < most * 2; n++)
        await ledger().transaction(writes =>
          writes.addNotice({
            key: `${type} ${n}`,
            type,
            disposition: 'actionable',
            priority: 'normal',
            expiresAt: Date.now() + 3_600_000,
            title: 'one of many',
            body: '',
            cause: `${type} ${n % most}`,
          }),
        )
    expect(await noticesToActOn(ledger())).toMatchObject({
      to_act_on: 161,
      causes: Array.from({ length: 12 }, () => ({ event: 'dead', count: 2 })),
      more_causes: 8,
      failed_runs: [{ run: id }],
    })
    await workflows.retry(id)
    expect(await noticesToActOn(ledger())).toMatchObject({ failed_runs: [] })
  })

  it('keeps a question in sight behind any number of newer runs', async () => {
    const asks = defineWorkflow({ name: 'asks', steps: [{ id: 'approve', ask: 'Really?' }] })
    const works = defineWorkflow({ name: 'works', steps: [{ id: 'ship', run: 'deploy' }] })
    const { id } = await api.queue.start(asks, {})
    const service = new WorkflowService({ queue: api.queue, onError: error => expect(error).toBeUndefined() })
    await service.start()
    await service.stop()
    for (let n = 0; n < 25; n++) await api.queue.start(works, {})
    await api.get('/v1/inbox')
    expect((await api.get('/v1/overview')).questions).toEqual([
      { run: id, workflow: 'asks', step: 'approve', question: 'Really?' },
    ])
  })

  it('names the mistake in a request', async () => {
    const wrong = async (body: unknown) => (await api.post('/v1/inbox/read', body)).json.detail as string
    expect(await wrong({})).toContain('send one of ids, like and all')
    expect(await wrong({ ids: ['notice_1'], all: true })).toContain('send one of ids, like and all')
    expect(await wrong({ ids: ['notice_99'] })).toContain('there is no notice_99')
    expect(await wrong({ ids: ['op_1'] })).toContain('such as notice_12')
    expect((await api.send('/v1/inbox?session=two%20words')).json.detail).toContain('without spaces')
  })

  it('keeps a session with actionable notices from ending', async () => {
    await expired('s1')
    const held = await api.post('/v1/inbox/show_before_end', { session: 's1' })
    expect(held.json).toMatchObject({ decision: 'block', reason: expect.stringContaining('deploy') })
    expect(undocumented('showBeforeEnd', held)).toEqual([])
    expect((await api.post('/v1/inbox/show_before_end', { session: 's2' })).json).toEqual({})
  })
})

describe('notices', () => {
  it('are listed with their deliveries, by subject', async () => {
    await expired('s1')
    await expired()
    await api.get('/v1/inbox')
    const [notice] = (await api.get('/v1/notices?event=dead&session=s1')).notices
    await ledger().transaction(writes => {
      const { id } = writes.addDelivery({ notice: notice.id, surface: 'hook' })
      writes.settleDelivery(id, { delivered: true, reference: 'here' })
    })
    const list = await api.send(`/v1/notices?operation=${notice.operation}&limit=1`)
    expect(list.json).toMatchObject({ notices: [{ id: notice.id }], next: expect.any(String) })
    expect(list.json.notices[0].deliveries).toMatchObject([
      { surface: 'hook', state: 'delivered', reference: 'here', settled_at: expect.any(String) },
    ])
    expect(undocumented('listNotices', list)).toEqual([])
    const deliveries = await api.send('/v1/deliveries?surface=hook&state=delivered')
    expect(deliveries.json.deliveries).toMatchObject([{ notice: notice.id }])
    expect(undocumented('listDeliveries', deliveries)).toEqual([])
    expect(await api.get('/v1/deliveries?state=failed')).toEqual({ deliveries: [] })
    expect(await api.get('/v1/notices?priority=urgent')).toEqual({ notices: [] })
    await ledger().transaction(writes => {
      const notice = {
        type: 'down',
        title: 'x',
        body: 'x',
        priority: 'low',
        disposition: 'information',
      } as const
      writes.addNotice({ ...notice, key: 'old', expiresAt: 1 })
    })
    expect((await api.get('/v1/notices?event=down')).notices).toHaveLength(1)
    expect(await api.get('/v1/notices?event=down&expired=false')).toEqual({ notices: [] })
    expect((await api.send('/v1/notices?event=daed')).status).toBe(400)
  })

  it('can be tested on a surface', async () => {
    const list = await api.send('/v1/surfaces')
    expect(list.json.surfaces).toMatchObject([
      { name: 'hook', kind: 'webhook', enabled: true, buttons: false },
      { name: 'phone', buttons: true, quiet: '22:00-07:00', time_zone: 'Europe/Berlin' },
    ])
    expect(list.json.surfaces[0]).not.toHaveProperty('quiet')
    expect(undocumented('listSurfaces', list)).toEqual([])
    const sent = await api.post('/v1/surfaces/hook/test')
    expect(sent.json).toMatchObject({ surface: 'hook', sent: true })
    expect(undocumented('testSurface', sent)).toEqual([])
    expect(stub.arrived.at(-1)?.body).toContain('This is a test of Mulligan')
    stub.faults = ['401']
    const refused = await api.post('/v1/surfaces/hook/test')
    expect(refused.json).toMatchObject({ sent: false, class: 'permanent', kind: 'auth' })
    expect(undocumented('testSurface', refused)).toEqual([])
    const without = await api.post('/v1/surfaces/phone/test')
    expect(without).toMatchObject({ status: 409, json: { detail: expect.stringContaining('NO_SUCH_TOKEN') } })
    const unknown = await api.post('/v1/surfaces/hock/test')
    expect(unknown).toMatchObject({ status: 404, json: { detail: expect.stringContaining('"hook"') } })
  })
})
