import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { eachTest, ended, make, now, queue, scripted, submitted, time } from '../../test/work.ts'
import type { Capability } from '../capability/capability.ts'
import { defineCapability } from '../capability/define.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import type { ScriptStep } from '../testing/core/script.ts'

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

  it('continues when its provider has served another call, even long after its block was over', async () => {
    await make({ provider: 'a', script: [{ fails: 'auth' }] }, { health: health() })
    const id = await submitted()
    await time.advance(HOUR)
    const other = await queue.submit('work')
    expect(await ended(other.id)).toMatchObject({ state: 'succeeded' })
    expect(await ended(id)).toMatchObject({ state: 'succeeded', run: 2 })
  })

  it('continues automatically at most three times, however often its provider serves others', async () => {
    let refusals = 0
    const bad = defineCapability({
      name: 'bad',
      params: z.object({}),
      retry: 'replay',
      provider: 'a',
      run: () => {
        refusals++
        throw Object.assign(new Error('invalid x-api-key'), { status: 401 })
      },
    })
    await make({ provider: 'a' }, { health: health(), with: [bad as Capability] })
    await queue.runner().start()
    const { id } = await queue.submit('bad', {})
    for (let others = 0; others < 10; others++) {
      await time.advance(HOUR)
      await ended((await queue.submit('work')).id)
    }
    expect(refusals).toBe(4)
    expect(await now(id)).toMatchObject({ state: 'parked', parkedFor: 'login' })
  })

  it('continues when its provider has another credential', async () => {
    let key = 'old'
    await make({ provider: 'a', script: [{ fails: 'auth' }] }, { health: health(() => key) })
    const id = await submitted()
    await time.advance(30 * SECOND)
    expect(await now(id)).toMatchObject({ state: 'parked' })
    key = 'new'
    expect(await ended(id)).toMatchObject({ state: 'succeeded' })
  })

  it('continues when another provider of its pool can serve it', async () => {
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
})

describe('a forbidden request', () => {
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
