import { describe, expect, it } from 'vitest'
import { exampleCircumstances, exampleFailure } from '../../test/verdict/example.ts'
import { decide, healthOf } from '../verdict/decide.ts'
import { defaultPolicy } from '../verdict/default-policy.ts'
import { PRESETS } from '../verdict/presets/presets.ts'
import { policyOf } from './policy.ts'
import { readConfig } from './read.ts'

const policyIn = (text: string) => policyOf(readConfig(text, 'mulligan.toml').config.policy)

describe('[policy]', () => {
  it('is the named policy', () => {
    expect(policyIn('')).toBe(defaultPolicy)
    expect(policyIn('[policy]\npreset = "work_buddy"\n')).toBe(PRESETS.workBuddy)
  })

  it('decides and marks health as if a failure had another class', () => {
    const policy = policyIn('[[policy.override]]\nclass = "timeout"\ntreat_as = "permanent"\n')
    const failure = exampleFailure('timeout', 'connect_timeout')
    expect(decide(failure, exampleCircumstances()).action).toBe('retry')
    expect(decide(failure, exampleCircumstances(), policy)).toMatchObject({ action: 'cancel', as: 'refused' })
    expect(healthOf(failure, exampleCircumstances(), policy)).toEqual({ breaker: 'none' })
  })

  it.each([
    ['throttle', 'rate_limit'],
    ['transient', 'server_error'],
    ['timeout', 'timeout'],
    ['permanent', 'invalid_request'],
  ] as const)('decides a failure treated as %s as it decides the general kind %s', (cls, kind) => {
    const policy = policyIn(`[[policy.override]]\nkind = "unknown"\ntreat_as = "${cls}"\n`)
    const failure = exampleFailure('unknown', 'unknown')
    const general = { ...failure, class: cls, kind }
    const circumstances = exampleCircumstances()
    expect(policy.verdict(failure, circumstances)).toEqual(defaultPolicy.verdict(general, circumstances))
    expect(policy.health(failure, circumstances)).toEqual(defaultPolicy.health(general, circumstances))
  })

  it('lets an override of the kind beat that of the class', () => {
    const policy = policyIn(
      '[[policy.override]]\nclass = "transient"\ntreat_as = "permanent"\n[[policy.override]]\nkind = "lock"\nbackoff = "exponential"\n',
    )
    expect(decide(exampleFailure('transient', 'network'), exampleCircumstances(), policy).action).toBe(
      'cancel',
    )
    expect(
      decide(exampleFailure('transient', 'lock'), exampleCircumstances({ retries: 1 }), policy),
    ).toMatchObject({
      action: 'retry',
      delayMs: 20_000,
    })
  })

  it('narrows retries and time, and never widens what the call allows', () => {
    const policy = policyIn(
      '[[policy.override]]\nclass = "transient"\nmax_retries = 1\nmin_retry_budget = "1m"\n[[policy.override]]\nclass = "throttle"\nmax_retries = 99\n',
    )
    const failure = exampleFailure('transient', 'network')
    const verdict = (fields: object) => decide(failure, exampleCircumstances(fields), policy).action
    expect([verdict({}), verdict({ retries: 1 }), verdict({ remainingMs: 59_000 })]).toEqual([
      'retry',
      'cancel',
      'cancel',
    ])
    const throttle = exampleFailure('throttle', 'rate_limit')
    expect(decide(throttle, exampleCircumstances({ retries: 2 }), policy).action).not.toBe('retry')
  })

  it('leaves all other failures to the preset', () => {
    const policy = policyIn('[[policy.override]]\nkind = "stall"\ntreat_as = "transient"\n')
    for (const [cls, kind] of [
      ['throttle', 'billing'],
      ['unknown', 'unknown'],
      ['rail', 'max_turns'],
    ] as const) {
      const failure = exampleFailure(cls, kind)
      expect(decide(failure, exampleCircumstances(), policy)).toEqual(decide(failure, exampleCircumstances()))
    }
  })
})
