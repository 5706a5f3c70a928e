import { describe, expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { afterAdmitted, afterRefusal, nextTurnAt, type Pace } from './pace.ts'

const failure = classify({ status: 429, headers: {}, body: '' }) as Failure

/** One call goes alone after each pause: served (`s`) or refused (`r`). */
function alone(outcomes: string, from?: { pace: Pace; now: number }): { pace: Pace; now: number } {
  let { pace, now } = from ?? { pace: refusedAt(undefined, 0), now: 0 }
  for (const outcome of outcomes) {
    now = Math.max(now, pace.until) + 1
    // Whatever went before, the next goes alone.
    const lone = { ...pace, room: 1 }
    pace = outcome === 's' ? (afterAdmitted(lone, now, now + 1, true) as Pace) : refusedAt(lone, now)
  }
  return { pace, now }
}

function refusedAt(pace: Pace | undefined, now: number, out = 0): Pace {
  return afterRefusal(pace, {
    failure,
    startedAt: now,
    now: now + 1,
    random: 0.5,
    isUnnamed: false,
    learns: true,
    out,
  })
}

const mustWait = ({ pace, now }: { pace: Pace; now: number }) => nextTurnAt(pace, now + 2, []) > now + 2

describe('a line in which calls go one after another', () => {
  it.each(['srsssr', 'rssrssr', 'ssssssrr'])('opens if calls that go alone fare like this: %s', outcomes => {
    expect(mustWait(alone(outcomes))).toBe(false)
  })

  it.each(['rrrrrr', 'srsrsr', 'ssssssssr', 'rrrsrrs'])(
    'stays closed if they fare like this: %s',
    outcomes => {
      const { pace, now } = alone(outcomes)
      const later = Math.max(now, pace.until) + 10_000
      expect(mustWait({ pace: refusedAt({ ...pace, room: 2 }, later), now: later })).toBe(true)
    },
  )

  it('opens at a known rate too, if the first calls after its pauses are refused as often as others', () => {
    let pace: Pace = { ...refusedAt(undefined, 0), room: 2, rate: { perSecond: 2, at: 0 } }
    let now = 0
    for (const outcome of 'rsrssrssr') {
      now = Math.max(now, pace.until) + 1
      pace = outcome === 's' ? (afterAdmitted(pace, now, now + 1, true) as Pace) : refusedAt(pace, now)
    }
    expect(mustWait({ pace, now })).toBe(false)
  })

  it('waits until a stated time even if refusals are chance', () => {
    const { pace, now } = alone('srsssr')
    const stated = now + 30_000
    const known = { failure, startedAt: now + 1, now: now + 2, random: 0.5, isUnnamed: false, learns: true }
    expect(afterRefusal(pace, { ...known, statedUntil: stated }).until).toBe(stated)
  })

  it('stays open if a refusal that is chance says to come back in a second', () => {
    const { pace, now } = alone('srsssr')
    const known = { failure, startedAt: now + 1, now: now + 2, random: 0.5, isUnnamed: false, learns: true }
    const after = afterRefusal(pace, { ...known, statedUntil: now + 1_000 })
    expect(mustWait({ pace: after, now: now + 2 })).toBe(false)
  })

  it('closes again if more are refused than served and out, once nobody waits', () => {
    let { pace, now } = alone('srsssr')
    for (let refusals = 0; refusals < 5; refusals++) pace = refusedAt(pace, ++now)
    expect(mustWait({ pace, now })).toBe(false)
    expect(mustWait({ pace: refusedAt(pace, now + 1, 40), now: now + 1 })).toBe(false)
    expect(mustWait({ pace: refusedAt(pace, now + 1), now: now + 1 })).toBe(true)
  })
})
