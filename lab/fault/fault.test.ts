import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isSameKind } from '../../src/cli/develop/grade.ts'
import type { Failure } from '../../src/failure/failure.ts'
import { ASKS, type Ask, failureOf, meet } from '../../test/lab/client.ts'
import type { Lab } from '../lab.ts'
import { startLab } from '../start.ts'
import type { StatusFault } from './fault.ts'
import { expectationOf } from './fault.ts'
import { FAULT_NAMES, FAULTS, type FaultName } from './table.ts'

let lab: Lab
beforeAll(async () => {
  lab = await startLab({ slowMs: 1, waitMs: 20_000 })
})
afterAll(() => lab.close())

/** A whole body has no end mark that could be missing: it is broken JSON. */
const BROKEN_AS_ONE = new Set<FaultName>(['unfinished_stream'])

function isPatient(fault: FaultName): AbortSignal {
  return AbortSignal.timeout(fault === 'hang' || fault === 'stall' ? 300 : 30_000)
}

/** Without a status, a timeout of the vendor's gateway looks like any timeout. */
const NEEDS_STATUS = new Set<FaultName>(['gateway_timeout'])

function judge(
  fault: FaultName,
  ask: Ask,
  failure: Failure | null,
  { inStream = false } = {},
): string | undefined {
  const expected = expectationOf(FAULTS[fault], ask.vendor)
  if (failure === null || expected === null)
    return failure === null && expected === null
      ? undefined
      : `${fault}, ${ask.name}: ${failure?.class ?? 'no failure'}`
  const anyKind = (BROKEN_AS_ONE.has(fault) && !ask.streams) || (NEEDS_STATUS.has(fault) && inStream)
  const right = failure.class === expected.class && (anyKind || isSameKind(failure.kind, expected.kind))
  return right
    ? undefined
    : `${fault}, ${ask.name}: ${failure.class}/${failure.kind}, ${failure.evidence.rule}`
}

const REFUSALS = FAULT_NAMES.filter(name => FAULTS[name].does === 'refuse')

describe('every fault, over HTTP, for every API', () => {
  it.each(FAULT_NAMES)('is classified as the table says: %s', async fault => {
    lab.inject({ fault, times: ASKS.length })
    // All at once, because some faults last until the client gives up.
    const wrong = await Promise.all(
      ASKS.map(async ask => judge(fault, ask, await failureOf(lab.url, ask, Date.now(), isPatient(fault)))),
    )
    expect(wrong.filter(each => each !== undefined)).toEqual([])
  })

  it.each(REFUSALS)('states a wait exactly if the table says so: %s', async name => {
    const fault = FAULTS[name] as StatusFault
    for (const ask of ASKS.filter(each => !each.streams)) {
      lab.inject(name)
      const now = Date.now()
      const failure = await failureOf(lab.url, ask, now)
      const stated = fault.states?.[ask.vendor]
      if (stated === undefined) expect([ask.name, failure?.retryAfterMs]).toEqual([ask.name, undefined])
      else expect([ask.name, failure?.retryAfterMs]).toEqual([ask.name, expect.any(Number)])
      // Headers and resets are whole seconds.
      if (stated === 'wait')
        expect(Math.abs((failure?.retryAfterMs ?? 0) - 20_000)).toBeLessThanOrEqual(2_000)
    }
  })

  it('states the wait of its step for a used-up window too', async () => {
    for (const ask of ASKS.filter(each => !each.streams)) {
      lab.inject({ fault: 'usage_limit', waitMs: 40_000 })
      const failure = await failureOf(lab.url, ask, Date.now())
      expect(Math.abs((failure?.retryAfterMs ?? 0) - 40_000)).toBeLessThanOrEqual(2_000)
    }
  })

  it.each(REFUSALS)('may come inside a stream that began with 200: %s', async fault => {
    const wrong: (string | undefined)[] = []
    for (const ask of ASKS.filter(each => each.streams)) {
      lab.inject({ fault, inStream: true })
      wrong.push(judge(fault, ask, await failureOf(lab.url, ask, Date.now()), { inStream: true }))
    }
    expect(wrong.filter(each => each !== undefined)).toEqual([])
  })
})

it('an error inside a stream comes after a 200 and after some of the answer', async () => {
  for (const ask of ASKS.filter(each => each.streams)) {
    lab.inject('stream_overloaded')
    const answer = await fetch(`${lab.url}${ask.path}`, { method: 'POST', body: JSON.stringify(ask.body) })
    const text = await answer.text()
    expect([ask.name, answer.status]).toEqual([ask.name, 200])
    expect(text).toContain('All is well')
    expect(text).toMatch(/overloaded/i)
  }
})

it("limits state the step's wait", async () => {
  for (const ask of ASKS.filter(each => !each.streams)) {
    lab.inject({ fault: 'rate_limit', waitMs: 90_000 })
    expect(await failureOf(lab.url, ask, Date.now())).toMatchObject({ retryAfterMs: expect.any(Number) })
    lab.inject({ fault: 'rate_limit', waitMs: 90_000 })
    const { headers, body } = await meet(lab.url, ask)
    expect(`${headers['retry-after'] ?? ''} ${body}`).toMatch(/\b90\b|1m30s|"90s"/)
  }
})
