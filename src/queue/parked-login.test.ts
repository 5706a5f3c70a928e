import { describe, expect, it } from 'vitest'
import { Health } from '../provider/index.ts'
import type { ScriptStep } from '../testing/index.ts'
import { eachTest, ended, make, now, queue, scripted, submitted, time } from '../testing/test-work.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

eachTest()
const health = (credential?: () => string) =>
  new Health({
    providers: [{ id: 'a', ...(credential ? { credential } : {}) }, { id: 'b' }],
    time,
    random: () => 0,
  })
const tries = () => scripted.script.tries.length
const refused = (scope?: 'account' | 'resource'): ScriptStep => ({
  fails: { kind: 'forbidden', effect: 'none', ...(scope === undefined ? {} : { scope }) },
})

describe('an operation that waits for a login', () => {
  it('is not moved by the end of a block, of its login or of another limit', async () => {
    await make({ provider: 'a', script: [{ fails: 'auth' }] }, { health: health() })
    const id = await submitted()
    await time.advance(HOUR)
    expect(await now(id)).toMatchObject({ state: 'parked', parkedFor: 'login' })
    const permit = await queue.health.madeElsewhere('a')
    const limit = { kind: 'rate_limit', class: 'throttle' } as const
    const failure = (await queue.ledger.attempts(id))[0]?.failure
    if (!failure) throw new Error('it was not tried')
    permit.failed({ ...failure, ...limit }, { breaker: 'none', blockUntil: time.now() + MINUTE })
    await time.advance(HOUR)
    expect(await now(id)).toMatchObject({ state: 'parked', run: 1 })
  })

  it('goes on when its provider has served somebody else, also long after its block was over', async () => {
    await make({ provider: 'a', script: [{ fails: 'auth' }] }, { health: health() })
    const id = await submitted()
    await time.advance(HOUR)
    const other = await queue.submit('work')
    expect(await ended(other.id)).toMatchObject({ state: 'succeeded' })
    expect(await ended(id)).toMatchObject({ state: 'succeeded', run: 2 })
  })

  it('goes on when the credential of its provider is another', async () => {
    let key = 'old'
    await make({ provider: 'a', script: [{ fails: 'auth' }] }, { health: health(() => key) })
    const id = await submitted()
    await time.advance(HOUR)
    expect(await now(id)).toMatchObject({ state: 'parked' })
    key = 'new'
    expect(await ended(id)).toMatchObject({ state: 'succeeded' })
  })

  it('goes on when another provider of its pool can serve it', async () => {
    const limit: ScriptStep = {
      fails: { kind: 'usage_limit', effect: 'none', resetAt: time.now() + 10 * MINUTE },
    }
    await make({ pool: ['b', 'a'], script: [limit, { fails: 'auth' }] }, { health: health() })
    const id = await submitted()
    await time.advance(MINUTE)
    expect(await now(id)).toMatchObject({ state: 'parked', parkedFor: 'login' })
    expect(await ended(id)).toMatchObject({ state: 'succeeded' })
    expect(scripted.script.tries.map(({ provider }) => provider)).toEqual(['b', 'a', 'b'])
  })

  it('and is refused each time that it goes on is left to a person in the end', async () => {
    const one = Array.from({ length: 50 }, () => refused())
    await make({ provider: 'a', script: one }, { health: health() })
    const id = await submitted()
    for (let i = 0; i < 10; i++) {
      await time.advance(10 * MINUTE)
      ;(await queue.health.madeElsewhere('a')).succeeded()
      await queue.submit('work', {})
    }
    expect(await now(id)).toMatchObject({ state: 'parked' })
    expect((await now(id)).run).toBeLessThanOrEqual(4)
  })
})

describe('a forbidden thing', () => {
  it('ends its operation as refused, and holds up no other', async () => {
    await make({ pool: ['a', 'b'], script: [refused('resource')] }, { health: health() })
    const id = await submitted()
    expect(await ended(id)).toMatchObject({ state: 'dead', deadAs: 'refused', attempts: 1 })
    const other = await queue.submit('work')
    expect(await ended(other.id)).toMatchObject({ state: 'succeeded' })
    expect(scripted.script.tries.map(({ provider }) => provider)).toEqual(['a', 'a'])
    expect(tries()).toBe(2)
  })
})
