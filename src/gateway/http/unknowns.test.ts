import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Received, TestApi } from '../../../test/gateway/http/api.ts'
import { classify } from '../../failure/classify.ts'
import type { Failure } from '../../failure/failure.ts'
import { scriptedCapability } from '../../testing/scripted.ts'
import type { Route } from './route.ts'

const SAID = 'the flux capacitor of unit 7 is detuned'

let api: TestApi
let fingerprint: string
beforeEach(async () => {
  const { capability } = scriptedCapability({ name: 'drift', rest: { done: true } })
  api = await TestApi.start({ capabilities: [capability] })
  const failure = classify(new Error(SAID), { provider: 'work' }) as Failure
  fingerprint = failure.fingerprint
  await api.queue.ledger.transaction(writes => {
    writes.recordUnknown({ failure, at: 1_000, outcome: 'ended', provider: 'work' })
  })
})
afterEach(() => api.close())

const undocumented = (id: string, answer: Received) =>
  api.undocumented(api.gateway.routes.find(each => each.id === id) as Route, answer)

const label = (body: Record<string, unknown> = { class: 'transient' }) =>
  api.post(`/v1/unknowns/${fingerprint}/label`, body)

describe('unknown failures', () => {
  it('are listed until they are labelled', async () => {
    const list = await api.send('/v1/unknowns')
    expect(list.json.unknowns).toMatchObject([
      { fingerprint, provider: 'work', count: 1, escalated_at: null },
    ])
    expect(undocumented('listUnknowns', list)).toEqual([])
    expect(await api.get('/v1/unknowns?provider=other')).toEqual({ unknowns: [] })
    expect((await label()).status).toBe(201)
    expect(await api.get('/v1/unknowns')).toEqual({ unknowns: [] })
    expect((await api.get('/v1/unknowns?all=true')).unknowns).toHaveLength(1)
  })

  it('are shown with a proposed signature, by full fingerprint or prefix', async () => {
    const shown = await api.send(`/v1/unknowns/${fingerprint.slice(4, 12)}`)
    expect(shown.json).toMatchObject({ fingerprint, parked: 0, labels: [], suggestions: [] })
    expect(shown.json.proposed_signature).toContain('flux capacitor')
    expect(undocumented('getUnknown', shown)).toEqual([])
    const missing = await api.send('/v1/unknowns/fp1:0000000000000000')
    expect(missing).toMatchObject({ status: 404, json: { code: 'not_found' } })
  })

  it('can be backtested with read-only access before a label is given', async () => {
    const preview = await api.send(`/v1/unknowns/${fingerprint}/preview`, {
      method: 'POST',
      body: { class: 'throttle', kind: 'quota', retry_after_ms: 3_600_000 },
      token: api.readOnlyToken,
    })
    expect(preview.json).toMatchObject({
      fingerprint,
      given: false,
      backtest: { flips: 0, changes: [{ from: 'unknown', to: 'throttle', count: 1, is_flip: false }] },
    })
    expect(undocumented('previewLabel', preview)).toEqual([])
    expect((await api.get('/v1/labels')).labels).toEqual([])
    const refused = await api.send(`/v1/unknowns/${fingerprint}/label`, {
      method: 'POST',
      body: { class: 'throttle' },
      token: api.readOnlyToken,
    })
    expect(refused.status).toBe(403)
  })

  it('name the mistake in a label', async () => {
    const wrong = async (body: Record<string, unknown>) => (await label(body)).json.detail as string
    expect(await wrong({ class: 'transient', kind: 'quota' })).toContain('does not occur under transient')
    expect(await wrong({ class: 'permanent', retry_after_ms: 5 })).toContain('has a wait')
    expect(await wrong({ class: 'transient', pattern: '(' })).toContain('cannot be used')
    expect(await wrong({ class: 'unknown' })).toContain('body.class')
    expect(await wrong({ class: 'transient', retry_after: '1h' })).toContain('did you mean retry_after_ms?')
  })

  it('refuse a label that makes right classifications wrong, unless forced', async () => {
    const body = { class: 'permanent', pattern: 'rate limit', all_providers: true }
    expect(await label(body)).toMatchObject({ status: 409, json: { code: 'flips' } })
    const forced = await label({ ...body, force: true })
    expect(forced).toMatchObject({ status: 201, json: { given: true } })
    expect(forced.json.backtest.flips).toBeGreaterThan(0)
  })
})

describe('labels', () => {
  it('keep author and reason, and are withdrawn by id or fingerprint', async () => {
    const given = await label({ class: 'transient', who: 'ada', why: 'a flake' })
    expect(undocumented('labelUnknown', given)).toEqual([])
    const list = await api.send('/v1/labels')
    expect(list.json.labels).toMatchObject([
      { id: given.json.labels[0], fingerprint, class: 'transient', who: 'ada', why: 'a flake' },
    ])
    expect(undocumented('listLabels', list)).toEqual([])
    const taken = await api.post(`/v1/labels/${given.json.labels[0]}/withdraw`)
    expect(taken.json.withdrawn).toMatchObject([{ id: given.json.labels[0] }])
    expect(undocumented('withdrawLabel', taken)).toEqual([])
    expect(await api.post(`/v1/labels/${fingerprint}/withdraw`, { who: 'bo' })).toMatchObject({ status: 404 })
    const withdrawn = await api.send('/v1/labels?withdrawn=true')
    expect(withdrawn.json.labels).toMatchObject([{ withdrawn_by: 'operator' }])
    expect(undocumented('listLabels', withdrawn)).toEqual([])
  })

  it('are exported as a pack, which is backtested before import', async () => {
    await label({ class: 'throttle', kind: 'quota' })
    const { pack } = await api.get('/v1/labels/pack')
    await api.post(`/v1/labels/${fingerprint}/withdraw`)
    const tried = await api.post('/v1/labels/pack', { pack, dry_run: true })
    expect(tried.json).toMatchObject({ taken: false, backtest: { matched: 1 } })
    expect((await api.get('/v1/labels')).labels).toEqual([])
    const taken = await api.post('/v1/labels/pack', { pack, name: 'team.toml' })
    expect(taken.json).toMatchObject({ taken: true, labels: [expect.any(String)] })
    expect(undocumented('importLabels', taken)).toEqual([])
    expect((await api.get('/v1/labels')).labels).toMatchObject([{ who: 'operator, from team.toml' }])
  })

  it('are not imported from a pack with flips or bold claims, unless allowed', async () => {
    const flips = '[[signature]]\npattern = "rate limit"\nclass = "permanent"\n'
    expect(await api.post('/v1/labels/pack', { pack: flips })).toMatchObject({
      status: 409,
      json: { code: 'flips' },
    })
    expect(await api.post('/v1/labels/pack', { pack: flips, force: true })).toMatchObject({
      json: { taken: true },
    })
    const claims = '[[signature]]\npattern = "flux capacitor"\nclass = "transient"\neffect = "none"\n'
    expect((await api.post('/v1/labels/pack', { pack: claims })).status).toBe(422)
    expect((await api.post('/v1/labels/pack', { pack: claims, allow: true })).json.taken).toBe(true)
  })

  it('report the line of every mistake in a pack, and refuse one that nests too deep', async () => {
    const pack = '[[signature]]\npattern = "x y z"\nclass = "flimsy"\n'
    const wrong = await api.post('/v1/labels/pack', { pack })
    expect(wrong).toMatchObject({ status: 422, json: { mistakes: [{ at: 'body.pack:3:1' }] } })
    const deep = `a = ${'['.repeat(100_000)}`
    for (const [path, body] of [
      ['/v1/labels/pack', { pack: deep }],
      ['/v1/backtest', { signatures: deep }],
    ] as const)
      expect((await api.post(path, body)).status).toBe(422)
  })

  it('are backtested as signatures, with or without a provider', async () => {
    const signatures = `[[signature]]\npattern = "flux capacitor"\nclass = "transient"\n
[[provider]]\nid = "work"\nerror_signatures = { throttle = ["detuned"] }\n`
    const tried = await api.post('/v1/backtest', { signatures })
    expect(tried.json).toMatchObject({ matched: 1, flips: 0, changes: [{ to: 'throttle' }] })
    expect(undocumented('backtest', tried)).toEqual([])
    const empty = await api.post('/v1/backtest', { signatures: '' })
    expect(empty).toMatchObject({ status: 422, json: { detail: expect.stringContaining('[[signature]]') } })
    expect((await api.post('/v1/backtest', { signatures: 'provider = 3' })).status).toBe(422)
  })
})
