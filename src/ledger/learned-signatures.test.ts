import { describe, expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { classifyRecorded } from '../failure/recorded.ts'
import { Signatures } from '../failure/signature.ts'
import type { Label } from './label.ts'
import { LearnedSignatures } from './learned-signatures.ts'

const TEXT = 'the flux capacitor is detuned'
const unknown = classify(TEXT) as Failure
const label: Label = {
  id: 'label_1',
  fingerprint: unknown.fingerprint,
  class: 'throttle',
  kind: 'billing',
  effect: 'none',
  retryAfterMs: 60_000,
  signature: 'flux capacitor',
  who: 'ada',
  at: 0,
}
const source = (...labels: Label[]) => ({ labels: async () => labels })

describe('signatures from labels', () => {
  it('apply as soon as they are read, and until they are gone', async () => {
    const signatures = new LearnedSignatures()
    expect(classify(TEXT, { signatures })?.class).toBe('unknown')
    expect(await signatures.read(source(label))).toBe(true)
    expect(classify(TEXT, { signatures })).toMatchObject({ class: 'throttle', kind: 'billing' })
    expect(classify(`again: ${TEXT}`, { signatures, provider: 'any' })?.class).toBe('throttle')
    expect(await signatures.read(source(label))).toBe(false)
    expect(await signatures.read(source())).toBe(true)
    expect(classify(TEXT, { signatures })?.class).toBe('unknown')
  })

  it('come after those of the config', async () => {
    const signatures = new LearnedSignatures(new Signatures('', { flake: ['detuned'] }))
    await signatures.read(source(label))
    expect(classify(TEXT, { signatures })?.class).toBe('transient')
  })

  it('set only the class if the ledger may come from an untrusted config', async () => {
    const signatures = new LearnedSignatures(undefined, { mayTrust: false })
    await signatures.read(source(label))
    const failure = classify(TEXT, { signatures, now: 0 })
    expect(failure).toMatchObject({ class: 'throttle', kind: 'rate_limit', effect: 'maybe' })
    expect(failure?.retryAfterMs).toBeUndefined()
  })

  it('ignore a pattern that cannot be used', async () => {
    const signatures = new LearnedSignatures()
    await signatures.read(source({ ...label, signature: 'a(' }))
    expect(classify(TEXT, { signatures })?.class).toBe('throttle')
    expect(classify(`again: ${TEXT}`, { signatures })?.class).toBe('unknown')
  })

  it('are read again after a second, not earlier', async () => {
    const signatures = new LearnedSignatures()
    let reads = 0
    const counting = {
      labels: async () => {
        reads++
        return []
      },
    }
    for (const now of [5_000, 5_999, 6_000, 1_000]) await signatures.readIfOld(counting, now)
    expect(reads).toBe(3)
  })
})

describe('a recorded failure', () => {
  const says = (text: string) => new Signatures('', {}, [{ pattern: text, class: 'throttle' }])

  it('is what the signatures say now, with the wait stated in its text', () => {
    const failure = classify(`${TEXT}, try again in 90s`) as Failure
    expect(classifyRecorded(failure, says('flux'), 1_000)?.failure).toMatchObject({
      class: 'throttle',
      retryAfterMs: 90_000,
      fingerprint: failure.fingerprint,
      evidence: { rule: 'signature:flux' },
    })
  })

  it('stays the same if no signature matches, or if Mulligan itself made it', () => {
    expect(classifyRecorded(unknown, says('plasma'), 0)).toBeUndefined()
    expect(classifyRecorded(unknown, undefined, 0)).toBeUndefined()
    const aborted = classify(TEXT, { own: { aborted: true } }) as Failure
    expect(classifyRecorded(aborted, says('flux'), 0)).toBeUndefined()
  })
})
