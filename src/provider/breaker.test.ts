import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampled } from '../../test/sampled.ts'
import {
  afterFailure,
  afterSuccess,
  afterTurn,
  BREAKER_DEFAULTS,
  type BreakerRules,
  type BreakerState,
  breakerAt,
  CLOSED,
  type DownBreaker,
  slotAt,
  tripped,
  withoutProbe,
  withProbe,
  withRenewedProbe,
  withSuccesses,
} from './breaker.ts'

type Op = 'fail' | 'half' | 'ok' | 'trip' | 'reset' | number

/** A breaker on its own clock; when half-open, every result is the probe's. */
class Played {
  now = 1_767_225_600_000
  state: BreakerState = CLOSED
  readonly rules: BreakerRules

  constructor(rules: Partial<BreakerRules>) {
    this.rules = { ...BREAKER_DEFAULTS, maxCooldownMs: rules.cooldownMs ?? 30_000, ...rules }
  }

  play(op: Op): string {
    const { rules } = this
    if (typeof op === 'number') this.now += op
    else if (op === 'reset') this.state = CLOSED
    else {
      this.state = withProbe(this.state, this.now, { id: 'p', until: this.now + 60_000 })
      const ended = this.ended(true)
      if (op === 'ok') this.state = afterSuccess(this.state, rules, ended)
      else if (op === 'trip') this.state = tripped(this.state, rules, ended)
      else this.state = afterFailure(this.state, rules, ended, op === 'half' ? 0.5 : 1)
    }
    return breakerAt(this.state, this.now).state
  }

  /** A call that takes no time. */
  ended(isProbe: boolean, startedAt = this.now) {
    return { startedAt, now: this.now, random: 0.5, isProbe }
  }

  get admits(): boolean {
    return breakerAt(this.state, this.now).state !== 'open'
  }
}

const three = { consecutive: 3, cooldownMs: 30_000 }
const one = { consecutive: 1, cooldownMs: 100 }

describe('a breaker', () => {
  it.each<[string, Partial<BreakerRules>, Op[], string[], boolean]>([
    ['admits at first', three, [], [], true],
    ['opens at the threshold', three, ['fail', 'fail', 'fail'], ['closed', 'closed', 'open'], false],
    [
      'forgets failures by a success',
      three,
      ['fail', 'fail', 'ok', 'fail', 'fail'],
      ['closed', 'closed', 'closed', 'closed', 'closed'],
      true,
    ],
    ['is half-open after the cooldown', one, ['fail', 150], ['open', 'half_open'], true],
    ['opens again when the probe fails', one, ['fail', 150, 'fail'], ['open', 'half_open', 'open'], false],
    ['is closed by hand', { ...one, cooldownMs: 30_000 }, ['fail', 'reset'], ['open', 'closed'], true],
    [
      'counts successes only while it is half-open',
      { ...one, successes: 2 },
      ['fail', 150, 'ok', 'ok'],
      ['open', 'half_open', 'half_open', 'closed'],
      true,
    ],
    [
      'is not held open longer by failures that come while it is open',
      one,
      ['fail', 60, 'fail', 60],
      ['open', 'open', 'open', 'half_open'],
      true,
    ],
    [
      'is closed by a call that was let through while it is open',
      one,
      ['fail', 'ok', 150],
      ['open', 'closed', 'closed'],
      true,
    ],
    [
      'counts unknown failures half',
      three,
      ['half', 'half', 'half', 'half', 'half', 'half'],
      ['closed', 'closed', 'closed', 'closed', 'closed', 'open'],
      false,
    ],
    ['trips at once', three, ['trip'], ['open'], false],
  ])('%s', (_title, rules, ops, states, admits) => {
    const breaker = new Played(rules)
    expect(ops.map(op => breaker.play(op))).toEqual(states)
    expect(breaker.admits).toBe(admits)
  })

  it('opens after five consecutive failures by default, for half a minute that doubles up to two', () => {
    const breaker = new Played({ maxCooldownMs: BREAKER_DEFAULTS.maxCooldownMs })
    for (let i = 0; i < 4; i++) expect(breaker.play('fail')).toBe('closed')
    expect(breaker.play('fail')).toBe('open')
    const lengths: number[] = []
    for (let i = 0; i < 6; i++) {
      const { until } = breaker.state as { until: number }
      lengths.push((until - breaker.now) / 1_000)
      breaker.now = until
      breaker.play('fail')
    }
    expect(lengths).toEqual([30, 60, 120, 120, 120, 120])
  })

  it('opens when half of at least ten within a minute fail, and not by nine', () => {
    const breaker = new Played({})
    for (let i = 0; i < 4; i++) {
      breaker.play('ok')
      breaker.play('fail')
    }
    expect(breaker.play('ok')).toBe('closed')
    expect(breaker.play('fail')).toBe('open')
  })

  it('ignores calls older than the window', () => {
    const breaker = new Played({})
    for (let i = 0; i < 4; i++) {
      breaker.play('ok')
      breaker.play('fail')
    }
    breaker.play(61_000)
    breaker.play('ok')
    expect(breaker.play('fail')).toBe('closed')
  })

  it('ignores calls that began before it opened, and those that began before it closed', () => {
    const breaker = new Played(one)
    const before = breaker.now
    breaker.play(10)
    breaker.play('fail')
    const { state, rules } = breaker
    expect(afterSuccess(state, rules, breaker.ended(false, before))).toBe(state)
    expect(afterFailure(state, rules, breaker.ended(false, before), 1)).toBe(state)
    const closed = afterSuccess(state, rules, breaker.ended(false))
    expect(closed.state).toBe('closed')
    expect(afterFailure(closed, rules, breaker.ended(false, before), 1)).toBe(closed)
    expect(tripped(closed, rules, breaker.ended(false, before))).toBe(closed)
    // Not if the clock was set back since.
    const earlier = { ...breaker.ended(false, before - 9), now: before - 5 }
    expect(afterFailure(closed, rules, earlier, 1).state).toBe('open')
  })

  it('keeps the probe of another call', () => {
    const breaker = new Played({ ...one, successes: 2 })
    breaker.play('fail')
    breaker.play(150)
    const { now, rules } = breaker
    const probed = withProbe(breaker.state, now, { id: 'p', until: now + 1 })
    expect(withoutProbe(probed, 'somebody else')).toBe(probed)
    expect(afterSuccess(probed, rules, breaker.ended(false))).toMatchObject({ probe: { id: 'p' } })
    expect(afterFailure(probed, rules, breaker.ended(false), 1)).toMatchObject({ probe: { id: 'p' } })
  })

  it('is neither reopened nor held open longer by calls that fail beside its probe', () => {
    const breaker = new Played(one)
    breaker.play('fail')
    const { until } = breaker.state as { until: number }
    breaker.play(150)
    const { now, rules } = breaker
    const probed = withProbe(breaker.state, now, { id: 'p', until: now + 1_000 })
    for (const state of [breaker.state, probed])
      for (const fail of [tripped, (...given: Parameters<typeof tripped>) => afterFailure(...given, 1)]) {
        const after = fail(state, rules, breaker.ended(false))
        expect(after).toMatchObject({ state: 'half_open', from: until, reopened: 0 })
      }
    expect(afterFailure(probed, rules, breaker.ended(true), 1)).toMatchObject({ state: 'open', reopened: 1 })
  })

  it('counts every call that began since it opened in its line, and none that began before', () => {
    const breaker = new Played(one)
    breaker.play('fail')
    const { state, rules } = breaker
    const failed = (startedAt: number) =>
      (afterFailure(state, rules, breaker.ended(false, startedAt), 1) as DownBreaker).line.failed
    expect(failed(breaker.now - 1)).toBe(1)
    expect(failed(breaker.now)).toBe(2)
  })

  it('opens with what was counted before: how often in a row it failed, since when, and when it served last', () => {
    const breaker = new Played(three)
    breaker.play('ok')
    const served = breaker.now
    breaker.play(5)
    const failedAt = breaker.now
    for (const op of ['fail', 10, 'fail', 10, 'fail'] as const) breaker.play(op)
    expect(breaker.state).toMatchObject({ state: 'open', line: { failed: 3, failedAt, servedAt: served } })
    const tripping = new Played(three)
    tripping.play('trip')
    expect(tripping.state).toMatchObject({ line: { failed: 50, failedAt: 0 } })
  })

  it('starts an empty window when a success closes it', () => {
    const breaker = new Played(one)
    for (const op of ['fail', 'ok'] as const) breaker.play(op)
    expect(breaker.state).toEqual({
      state: 'closed',
      failures: 0,
      slots: [],
      since: breaker.now,
      servedAt: breaker.now,
    })
    // A call that began at that moment says something new.
    expect(afterFailure(breaker.state, breaker.rules, breaker.ended(false), 1).state).toBe('open')
  })

  it('gives the first turn to one call, and the next later', () => {
    const breaker = new Played({ consecutive: 1 })
    breaker.play('fail')
    const down = breaker.state as DownBreaker
    const turned = afterTurn(down, breaker.rules, breaker.now, 0.5)
    expect(turned).toMatchObject({ state: 'open', line: { turns: 1, turnedAt: breaker.now } })
    expect(turned.line.turnAt).toBeGreaterThan(down.line.turnAt)
  })

  it('renews its probe only for the call that holds it', () => {
    const breaker = new Played(one)
    breaker.play('fail')
    const open = breaker.state
    breaker.play(150)
    const { now } = breaker
    const free = breakerAt(open, now)
    const probed = withProbe(open, now, { id: 'p', until: now + 1 })
    const renewed = { id: 'p', until: now + 100 }
    expect(withRenewedProbe(probed, renewed)).toEqual({ ...probed, probe: renewed })
    expect(withRenewedProbe(probed, { ...renewed, id: 'somebody else' })).toBe(probed)
    for (const state of [open, free, CLOSED]) expect(withRenewedProbe(state, renewed)).toBe(state)
    for (const state of [open, free, CLOSED]) expect(withoutProbe(state, 'p')).toBe(state)
  })

  it('adds successes counted elsewhere while it is closed', () => {
    const breaker = new Played({})
    const at = slotAt(breaker.now, breaker.rules)
    expect(withSuccesses(CLOSED, at, breaker.rules, 3)).toEqual({
      ...CLOSED,
      slots: [{ at, total: 3, failures: 0 }],
    })
    expect(withSuccesses(CLOSED, at, breaker.rules, 0)).toBe(CLOSED)
    breaker.play('trip')
    expect(withSuccesses(breaker.state, at, breaker.rules, 3)).toBe(breaker.state)
  })

  it('counts by sixths of its window, and forgets those that a clock set back leaves in the future', () => {
    const breaker = new Played({ windowMs: 60_000, rate: 0.9 })
    const { rules } = breaker
    const start = breaker.now
    expect([0, 9_999, 10_000].map(ms => slotAt(start + ms, rules) - start)).toEqual([0, 0, 10_000])
    const slots = () => {
      const { slots = [] } = breaker.state as Partial<Extract<BreakerState, { state: 'closed' }>>
      return slots.map(({ at, total }) => [at - start, total])
    }
    for (const op of ['ok', 'ok', 10_000, 'ok', 5_000, 'fail', 5_000, 'ok'] as const) breaker.play(op)
    expect(slots()).toEqual([
      [0, 2],
      [10_000, 2],
      [20_000, 1],
    ])
    breaker.play(40_000)
    breaker.play('ok')
    expect(slots()).toEqual([
      [10_000, 2],
      [20_000, 1],
      [60_000, 1],
    ])
    breaker.play(-35_000)
    breaker.play('ok')
    expect(slots()).toEqual([
      [10_000, 2],
      [20_000, 2],
    ])
  })

  it('stays closed while fewer than half of many fail', () => {
    const breaker = new Played({})
    for (let i = 0; i < 7; i++)
      for (const op of ['ok', 'ok', 'fail'] as const) expect(breaker.play(op)).toBe('closed')
  })

  it('lets calls go in turn that an earlier version shut out', () => {
    const stored = JSON.parse(`{ "state": "open", "from": 1000, "until": 31000, "reopened": 0 }`)
    expect(breakerAt(stored, 2_000)).toMatchObject({ state: 'open', line: { since: 1_000 } })
  })

  it('keeps its length when the clock is set back, and is half-open at once when it is set forward', () => {
    const breaker = new Played({ consecutive: 1, cooldownMs: 30_000 })
    breaker.play('fail')
    breaker.now -= 86_400_000
    breaker.state = breakerAt(breaker.state, breaker.now)
    const { now } = breaker
    // Its line starts over too.
    const line = {
      since: now,
      turnAt: now,
      turnedAt: now,
      servedAt: undefined,
      outSince: undefined,
      failed: 1,
    }
    expect(breaker.state).toMatchObject({ state: 'open', until: now + 30_000, line })
    breaker.now += 86_400_000
    expect(breakerAt(breaker.state, breaker.now).state).toBe('half_open')
  })

  it('never has two probes, even after it was stored and restored', () => {
    const ops = fc.array(
      fc.oneof(
        fc.constantFrom('fail', 'half', 'ok', 'trip', 'take', 'release', 'restore'),
        fc.integer({ min: -100_000, max: 100_000 }),
      ),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(ops, list => {
        const breaker = new Played({ consecutive: 2, successes: 2, cooldownMs: 1_000 })
        let holder: string | undefined
        list.forEach((op, index) => {
          const { now, rules } = breaker
          if (typeof op === 'number') breaker.now += op
          else if (op === 'restore') breaker.state = JSON.parse(JSON.stringify(breaker.state))
          else if (op === 'take') {
            const id = `p${index}`
            const state = withProbe(breaker.state, now, { id, until: now + 60_000 })
            const got = state.state === 'half_open' && state.probe?.id === id
            if (got) expect(holder).toBeUndefined()
            if (got) holder = id
            breaker.state = state
          } else {
            const ended = breaker.ended(holder !== undefined)
            if (op === 'release') breaker.state = withoutProbe(breaker.state, holder ?? '')
            else if (op === 'ok') breaker.state = afterSuccess(breaker.state, rules, ended)
            else if (op === 'trip') breaker.state = tripped(breaker.state, rules, ended)
            else breaker.state = afterFailure(breaker.state, rules, ended, op === 'half' ? 0.5 : 1)
            holder = undefined
          }
          const { state } = breaker
          if (state.state === 'half_open') expect(state.probe?.id).toBe(holder)
        })
      }),
      { numRuns: sampled(2_000) },
    )
  })
})
