import { expect, it } from 'vitest'
import { exampleFailure } from '../../test/verdict/example.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { BREAKER_DEFAULTS } from './breaker.ts'
import { BreakerCell } from './breaker-cell.ts'
import { CellMaker } from './cell-maker.ts'

const down = exampleFailure('transient', 'overloaded')
const COOLDOWN_MS = 1_000

/** A breaker that opened, and whose cooldown is over. */
async function halfOpen(successes = 1) {
  const time = new FakeTime()
  const cells = new CellMaker(
    time,
    undefined,
    () => {},
    () => {},
    () => 0.5,
  )
  const rules = { ...BREAKER_DEFAULTS, cooldownMs: COOLDOWN_MS, consecutive: 1, successes }
  const breaker = new BreakerCell('p', undefined, rules, cells)
  const at = () => ({ startedAt: time.now(), now: time.now() })
  breaker.failed(down, 'failure', at())
  await time.advance(COOLDOWN_MS)
  return { breaker, time, at, state: () => breaker.at(time.now()) }
}

it.each(['failure', 'half', 'trip'] as const)(
  'only the probe of a breaker lengthens its cooldown, not a call that fails beside it: %s',
  async mark => {
    const { breaker, at, state } = await halfOpen()
    expect(await breaker.probeLease.take('probe')).toBe(true)
    breaker.failed(down, mark, at())
    breaker.failed(down, mark, at(), 'an earlier probe')
    expect(state()).toMatchObject({ state: 'half_open', reopened: 0, probe: { id: 'probe' } })
    breaker.failed(down, mark, at(), 'probe')
    expect(state()).toMatchObject({ state: 'open', reopened: 1, until: at().now + 2 * COOLDOWN_MS })
    // Its result is in: what it says again changes nothing.
    breaker.failed(down, mark, at(), 'probe')
    expect(state()).toMatchObject({ state: 'open', reopened: 1, until: at().now + 2 * COOLDOWN_MS })
  },
)

it('a success beside the probe leaves the probe in flight', async () => {
  const { breaker, time, state } = await halfOpen(2)
  await breaker.probeLease.take('probe')
  breaker.succeeded(time.now(), undefined)
  expect(state()).toMatchObject({ state: 'half_open', probe: { id: 'probe' } })
  breaker.succeeded(time.now(), 'probe')
  expect(state()).toMatchObject({ state: 'closed' })
})
