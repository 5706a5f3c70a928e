import { describe, expect, it } from 'vitest'
import { exampleFailure } from '../../../../test/verdict/example.ts'
import type { Failure, FailureClass, FailureKind } from '../../../failure/failure.ts'
import { mayBeDeferred } from './deferral.ts'

const replay = { retry: 'replay', atomic: false, because: '' } as const
const once = { retry: 'none', atomic: false, because: '' } as const
const of = (cls: FailureClass, kind: FailureKind, effect: Failure['effect'] = 'none') =>
  exampleFailure(cls, kind, { effect })

describe('a tool call is kept for later', () => {
  it.each<[FailureClass, FailureKind]>([
    ['throttle', 'rate_limit'],
    ['throttle', 'usage_limit'],
    ['transient', 'network'],
    ['timeout', 'timeout'],
  ])('after %s/%s, which passes by itself', (cls, kind) => {
    expect(mayBeDeferred(of(cls, kind), once)).toBe(true)
  })

  it('not while its account has no money: only a person changes that, so the client hears it at once', () => {
    expect(mayBeDeferred(of('throttle', 'billing'), replay)).toBe(false)
  })

  it.each<[FailureClass, FailureKind]>([
    ['permanent', 'auth'],
    ['rail', 'max_budget'],
    ['aborted', 'aborted'],
    ['unknown', 'unknown'],
  ])('not after %s/%s, which time does not change', (cls, kind) => {
    expect(mayBeDeferred(of(cls, kind), replay)).toBe(false)
  })

  it('if it may have happened, only where sending it again is safe or checked', () => {
    const cut = of('transient', 'network', 'maybe')
    expect(mayBeDeferred(cut, once)).toBe(false)
    expect(mayBeDeferred(cut, replay)).toBe(true)
    expect(mayBeDeferred(cut, { ...once, retry: 'verify_first' })).toBe(true)
  })
})
