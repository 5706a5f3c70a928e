import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  afterFailure,
  afterSuccess,
  BREAKER_DEFAULTS,
  type BreakerRules,
  type BreakerState,
  breakerAt,
  CLOSED,
  tripped,
  withoutProbe,
  withProbe,
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
      if (op === 'ok') this.state = afterSuccess(this.state, this.now, rules, true)
      else if (op === 'trip') this.state = tripped(this.state, this.now, rules, true)
      else this.state = afterFailure(this.state, this.now, rules, op === 'half' ? 0.5 : 1, true)
    }
    return breakerAt(this.state, this.now).state
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
      'is not closed by a success that comes while it is open',
      one,
      ['fail', 'ok', 150],
      ['open', 'open', 'half_open'],
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

  it('ignores calls that do not hold the probe', () => {
    const breaker = new Played(one)
    breaker.play('fail')
    breaker.play(150)
    breaker.state = withProbe(breaker.state, breaker.now, { id: 'p', until: breaker.now + 1 })
    const before = breaker.state
    expect(afterSuccess(before, breaker.now, breaker.rules)).toBe(before)
    expect(afterFailure(before, breaker.now, breaker.rules, 1)).toBe(before)
    expect(withoutProbe(before, 'somebody else')).toBe(before)
  })

  it('keeps its length when the clock is set back, and is half-open at once when it is set forward', () => {
    const breaker = new Played({ consecutive: 1, cooldownMs: 30_000 })
    breaker.play('fail')
    breaker.now -= 86_400_000
    breaker.state = breakerAt(breaker.state, breaker.now)
    expect(breaker.state).toMatchObject({ state: 'open', until: breaker.now + 30_000 })
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
            const isProbe = holder !== undefined
            if (op === 'release') breaker.state = withoutProbe(breaker.state, holder ?? '')
            else if (op === 'ok') breaker.state = afterSuccess(breaker.state, now, rules, isProbe)
            else if (op === 'trip') breaker.state = tripped(breaker.state, now, rules, isProbe)
            else breaker.state = afterFailure(breaker.state, now, rules, op === 'half' ? 0.5 : 1, isProbe)
            holder = undefined
          }
          const { state } = breaker
          if (state.state === 'half_open') expect(state.probe?.id).toBe(holder)
        })
      }),
      { numRuns: 2_000 },
    )
  })
})
