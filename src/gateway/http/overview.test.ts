import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { TestApi } from '../../../test/gateway/http/api.ts'
import type { Failure } from '../../failure/failure.ts'
import { answerOf } from '../../ledger/writing.ts'
import { scriptedCapability } from '../../testing/scripted.ts'
import { realTime } from '../../time/time.ts'
import { History } from './history.ts'
import { Recent } from './recent.ts'

let api: TestApi
beforeAll(async () => {
  const limit = { status: 429, headers: { 'retry-after': '600' }, body: 'rate limit' }
  api = await TestApi.start({
    toml: '[[provider]]\nid = "work"\n',
    capabilities: [
      scriptedCapability({ name: 'fine' }).capability,
      scriptedCapability({ name: 'limited', provider: 'work', script: [{ throws: limit }] }).capability,
      scriptedCapability({ name: 'odd', script: [{ throws: new Error('the orrery is drained of seats') }] })
        .capability,
    ],
  })
  const { id } = await api.queue.submit('fine')
  await api.queue.submit('limited')
  await api.queue.submit('odd')
  await api.queue.submit('fine', {}, { at: Date.now() + 90_000 })
  await api.queue.runner().start()
  await api.queue.wait(id)
  const settled = async () =>
    expect((await api.queue.ledger.counts()).states).toMatchObject({ parked: 1, scheduled: 2, running: 0 })
  await vi.waitFor(settled, { timeout: 60_000 })
})
afterAll(() => api.close())

const route = (path: string) => {
  const found = api.gateway.routes.find(each => each.path === path)
  if (!found) throw new Error(`no route ${path}`)
  return found
}

describe('the overview', () => {
  it('says how everything stands, what comes due when, and for whom operations wait', async () => {
    const answer = await api.send('/v1/overview?ahead_ms=3600000')
    expect(api.undocumented(route('/v1/overview'), answer)).toEqual([])
    const { status, agenda } = answer.json
    expect(status).toMatchObject({ succeeded: 1, parked: { total: 1, for: { label: 1 } } })
    expect(agenda).toMatchObject({ step_ms: 60_000, later: 0, waiting: { work: 1 } })
    expect(agenda.due.reduce((sum: number, count: number) => sum + count, 0)).toBe(2)
    expect(agenda.due[1]).toBe(1)
  })

  it('has failures by class and kind, and how operations ended', async () => {
    const answer = await api.send('/v1/failures?span_ms=600000')
    expect(api.undocumented(route('/v1/failures'), answer)).toEqual([])
    const { failures, kinds, succeeded, step_ms } = answer.json
    expect(step_ms).toBe(10_000)
    const sum = (counts: number[]) => counts.reduce((all, count) => all + count, 0)
    expect(sum(failures.throttle)).toBe(1)
    expect(sum(failures.unknown)).toBe(1)
    expect(sum(succeeded)).toBe(1)
    expect(kinds).toMatchObject({ rate_limit: 1 })
  })

  it('has the history of a provider, and knows no others', async () => {
    const answer = await api.send('/v1/providers/work/history')
    expect(api.undocumented(route('/v1/providers/{id}/history'), answer)).toEqual([])
    expect(answer.json.kinds).toEqual({ rate_limit: 1 })
    expect(answer.json.failures.unknown).toBeUndefined()
    expect((await api.send('/v1/providers/wrok/history')).json.detail).toContain('did you mean')
  })

  it('has what was done over time, how long it took, and what failed most', async () => {
    const answer = await api.send('/v1/insights?span_ms=600000')
    expect(api.undocumented(route('/v1/insights'), answer)).toEqual([])
    const { succeeded, dead, running_ms: ran, waiting_ms: waited, failures, providers } = answer.json
    const sum = (counts: number[]) => counts.reduce((all, count) => all + count, 0)
    expect([sum(succeeded), sum(dead)]).toEqual([1, 0])
    // Three runs ended, all in the same step or two.
    const known = ran.median.filter((ms: number | null) => ms !== null)
    expect(known.length).toBeGreaterThan(0)
    expect(waited.p95.filter((ms: number | null) => ms !== null)).toHaveLength(known.length)
    expect(
      failures.map(({ class: cls, counts }: { class: string; counts: number[] }) => [cls, sum(counts)]),
    ).toEqual(
      expect.arrayContaining([
        ['throttle', 1],
        ['unknown', 1],
      ]),
    )
    expect(failures.find(({ class: cls }: { class: string }) => cls === 'unknown').message).toContain(
      'orrery',
    )
    const [work] = providers
    expect(work).toMatchObject({ id: 'work', changes: [{ type: 'provider_blocked' }] })
    expect(sum(work.throttled)).toBe(1)
    expect(Date.parse(answer.json.known_from)).toBeGreaterThan(Date.parse(answer.json.from))
  })

  it('refuses spans that it does not have', async () => {
    expect((await api.send('/v1/failures?span_ms=1')).status).toBe(400)
    expect((await api.send(`/v1/failures?span_ms=${8 * 86_400_000}`)).status).toBe(400)
    expect((await api.send('/v1/overview?ahead_ms=5')).status).toBe(400)
  })
})

describe('history', () => {
  const historyAt = async (now: () => number, steps = 60) => {
    const history = new History({
      ledger: api.queue.ledger,
      time: { ...realTime, now },
      onError: error => {
        throw error
      },
    })
    await history.ready()
    const { kinds, failures } = history.ends({ stepMs: 60_000, steps })
    await history.stop()
    return { kinds, failures, changes: (provider: string) => history.changesOf(provider) }
  }

  it('counts what happened before it began, and keeps it for a week, the older the coarser', async () => {
    const days = (count: number) => historyAt(() => Date.now() + count * 86_400_000, count * 1_440 + 60)
    expect((await days(0)).kinds).toMatchObject({ rate_limit: 1 })
    expect((await days(3)).kinds).toMatchObject({ rate_limit: 1 })
    expect((await days(8)).kinds).toEqual({})
  })

  it('keeps what happened to a provider while another comes and goes all day', async () => {
    const { ledger } = api.queue
    await ledger.transaction(function* (writes) {
      yield* answerOf(writes.tell('paused', { provider: 'calm' }))
      for (let flap = 0; flap < 600; flap++) yield* answerOf(writes.tell('resumed', { provider: 'restless' }))
    })
    const { changes } = await historyAt(Date.now)
    expect([changes('calm').length, changes('restless').length]).toEqual([1, 500])
  })

  it('does not count a new verdict about an old failure', async () => {
    const [parked] = (await api.queue.ledger.list({ state: 'parked' })).items
    const { fingerprint = '' } = parked?.failure ?? {}
    const [attempt] = await api.queue.ledger.attempts(parked?.id ?? '')
    const failure = { ...(attempt?.failure as Failure), class: 'permanent', kind: 'config' } as const
    const verdict = { action: 'cancel', as: 'refused', reason: 'labelled', rule: 'test' } as const
    await api.queue.ledger.transaction(writes =>
      writes.rejudge(parked?.id ?? '', {
        parkedOn: { fingerprint },
        verdict,
        failure,
        by: 'label',
      }),
    )
    const { failures } = await historyAt(Date.now)
    expect(failures.permanent).toBeUndefined()
    expect(failures.unknown?.reduce((sum, count) => sum + count, 0)).toBe(1)
  })
})

describe('a recent answer', () => {
  it('is asked for once however many want it, and again when it is old or failed', async () => {
    let now = 0
    let reads = 0
    const recent = new Recent<number>({ monotonic: () => now }, 1_000)
    const read = async () => {
      reads += 1
      if (reads === 3) throw new Error('no')
      return reads
    }
    expect(await Promise.all([recent.get('a', read), recent.get('a', read)])).toEqual([1, 1])
    now = 999
    expect(await recent.get('a', read)).toBe(1)
    now = 1_000
    expect(await recent.get('a', read)).toBe(2)
    now = 2_000
    await expect(recent.get('a', read)).rejects.toThrow('no')
    expect(await recent.get('a', read)).toBe(4)
    expect(await recent.get('b', read)).toBe(5)
  })
})
