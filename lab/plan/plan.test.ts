import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FaultName } from '../fault/table.ts'
import { type LabRequest, readRequest } from '../request.ts'
import { Plan } from './plan.ts'
import { seededRandom } from './random.ts'
import type { FaultStep } from './step.ts'

const PATHS = {
  anthropic: '/v1/messages',
  openai: '/v1/responses',
  gemini: '/v1beta/models/g:generateContent',
}

function asked(path: string = PATHS.anthropic, method = 'POST'): LabRequest {
  return readRequest(1, { method, path, headers: {}, text: '{}' })
}

function struck(plan: Plan, count: number, path?: string): (FaultName | undefined)[] {
  return Array.from({ length: count }, () => plan.next(asked(path))?.fault)
}

describe('a script', () => {
  it('strikes once, after the given number of normal answers', () => {
    const plan = new Plan([{ after: 2, fault: 'overloaded' }], undefined)
    expect(struck(plan, 4)).toEqual([undefined, undefined, 'overloaded', undefined])
  })

  it('strikes exactly the requests after + 1 to after + times, for any numbers', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.integer({ min: 1, max: 20 }), (after, times) => {
        const faults = struck(new Plan([{ after, times, fault: 'reset' }], undefined), 45)
        expect(faults.map((fault, index) => (fault ? index + 1 : 0)).filter(Boolean)).toEqual(
          Array.from({ length: times }, (_, index) => after + index + 1),
        )
      }),
    )
  })

  it('lets the first of two steps win if both strike, and both count', () => {
    const steps: FaultStep[] = [
      { after: 1, fault: 'overloaded' },
      { fault: 'rate_limit', times: 'always' },
    ]
    expect(struck(new Plan(steps, undefined), 3)).toEqual(['rate_limit', 'overloaded', 'rate_limit'])
  })

  it('counts only requests that a step applies to: its vendor, and model calls', () => {
    const plan = new Plan([{ after: 1, fault: 'auth', vendor: 'openai' }], undefined)
    expect(struck(plan, 3, PATHS.anthropic)).toEqual([undefined, undefined, undefined])
    expect(plan.next(asked('/v1/models', 'GET'))).toBeUndefined()
    expect(struck(plan, 2, PATHS.openai)).toEqual([undefined, 'auth'])
  })

  it('strikes anything that a path matches', () => {
    const plan = new Plan([{ fault: 'server_error', path: 'count_tokens', times: 'always' }], undefined)
    expect(struck(plan, 1, '/v1/messages/count_tokens')).toEqual(['server_error'])
    expect(struck(plan, 1, '/v1/messages')).toEqual([undefined])
  })

  it('counts added steps from then on, and lets them win', () => {
    const plan = new Plan([{ fault: 'auth', times: 'always' }], undefined)
    struck(plan, 5)
    plan.add([{ after: 1, fault: 'hang' }])
    expect(struck(plan, 3)).toEqual(['auth', 'hang', 'auth'])
  })

  it('shows the steps that may still strike', () => {
    const plan = new Plan([{ fault: 'auth' }, { after: 3, fault: 'hang' }], undefined)
    struck(plan, 2)
    expect(plan.steps).toEqual([{ after: 3, fault: 'hang' }])
    plan.clear()
    expect(plan.steps).toEqual([])
  })
})

describe('chance', () => {
  const chance = (seed: number, probability = 0.3) =>
    new Plan([], { probability, random: seededRandom(seed), faults: ['overloaded', 'reset'] })

  it('draws the same faults for the same seed, and others for another', () => {
    expect(struck(chance(7), 100)).toEqual(struck(chance(7), 100))
    expect(struck(chance(7), 100)).not.toEqual(struck(chance(8), 100))
  })

  it('strikes about the given share, never at 0 and always at 1', () => {
    const share = struck(chance(1), 10_000).filter(Boolean).length / 10_000
    expect(share).toBeGreaterThan(0.27)
    expect(share).toBeLessThan(0.33)
    expect(struck(chance(1, 0), 1_000).filter(Boolean)).toEqual([])
    expect(struck(chance(1, 1), 1_000).filter(Boolean)).toHaveLength(1_000)
  })

  it('depends only on the number of the call, regardless of steps in between', () => {
    const free = struck(chance(3), 20)
    const plan = chance(3)
    const first = struck(plan, 5)
    plan.add([{ fault: 'auth' }])
    const rest = struck(plan, 15)
    expect([...first, ...rest].with(5, undefined)).toEqual(free.with(5, undefined))
  })

  it('draws numbers in [0, 1) for any seed', () => {
    fc.assert(
      fc.property(fc.integer(), seed => {
        const random = seededRandom(seed)
        for (let i = 0; i < 20; i++) {
          const value = random()
          expect(value >= 0 && value < 1).toBe(true)
        }
      }),
    )
  })
})
