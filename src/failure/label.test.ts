import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classify } from './classify.ts'
import { ALL_KINDS, type Failure, KINDS } from './failure.ts'
import { type FailureLabel, LABEL_CLASSES, problemOfLabel, withLabel } from './label.ts'
import { Signatures } from './signature.ts'

const unknown = classify('the flux capacitor of unit seven is detuned') as Failure
const known = { now: 1_000, hasWorked: false }

const label = fc.constantFrom(...LABEL_CLASSES).chain(
  (cls): fc.Arbitrary<FailureLabel> =>
    fc.record(
      {
        class: fc.constant(cls),
        kind: fc.constantFrom(...KINDS[cls]),
        effect: fc.constantFrom('none' as const, 'maybe' as const),
        retryAfterMs: fc.integer({ min: 0, max: 86_400_000 }),
      },
      { requiredKeys: ['class'] },
    ),
)

describe('a label', () => {
  it('sets class, kind, effect and wait of a failure', () => {
    fc.assert(
      fc.property(label, given => {
        const failure = withLabel(unknown, given, known)
        expect(failure.class).toBe(given.class)
        expect(KINDS[given.class]).toContain(failure.kind)
        if (given.kind !== undefined) expect(failure.kind).toBe(given.kind)
        if (given.effect !== undefined) expect(failure.effect).toBe(given.effect)
        const waits = given.class === 'throttle' || given.class === 'transient'
        expect(failure.retryAfterMs).toBe(waits ? given.retryAfterMs : undefined)
        expect(failure.fingerprint).toBe(unknown.fingerprint)
      }),
    )
  })

  it('never makes the effect none if something is known to have been done', () => {
    fc.assert(
      fc.property(label, given => {
        expect(withLabel(unknown, given, { now: 1, hasWorked: true }).effect).toBe('maybe')
      }),
    )
  })

  it('keeps the wait that the failure itself states', () => {
    const stated = { ...unknown, class: 'throttle' as const, retryAfterMs: 5, resetAt: 1_005 }
    const failure = withLabel(stated, { class: 'throttle', retryAfterMs: 3_600_000 }, known)
    expect(failure).toMatchObject({ retryAfterMs: 5, resetAt: 1_005 })
  })

  it('does not keep the effect of a rule of another class', () => {
    const refused = {
      ...unknown,
      class: 'permanent' as const,
      kind: 'auth' as const,
      effect: 'none' as const,
    }
    expect(withLabel(refused, { class: 'transient' }, known).effect).toBe('maybe')
    expect(withLabel(refused, { class: 'permanent' }, known).effect).toBe('none')
  })

  it.each([
    [{ class: 'throttle', kind: 'auth' }, 'kind', 'auth does not occur under throttle'],
    [{ class: 'permanent', retryAfterMs: 1 }, 'retryAfterMs', 'only a throttle or a transient failure'],
    [{ class: 'throttle', retryAfterMs: 36 * 86_400_000 }, 'retryAfterMs', 'at most 35 days'],
  ] as const)('is refused as %j', (given, part, problem) => {
    const found = problemOfLabel(given)
    expect(found?.part).toBe(part)
    expect(found?.problem).toContain(problem)
  })

  it('may name every kind that occurs under its class, and no other', () => {
    for (const cls of LABEL_CLASSES)
      for (const kind of ALL_KINDS)
        expect(problemOfLabel({ class: cls, kind }) === undefined).toBe(KINDS[cls].includes(kind))
  })
})

describe('a signature that states everything a label can', () => {
  const text = 'the flux capacitor of unit seven is detuned'
  const says = (given: FailureLabel) => new Signatures('', {}, [{ pattern: 'flux capacitor', ...given }])

  it('gives class, kind, effect and wait', () => {
    const signatures = says({ class: 'throttle', kind: 'quota', effect: 'none', retryAfterMs: 60_000 })
    expect(classify(text, { signatures, now: 1_000 })).toMatchObject({
      class: 'throttle',
      kind: 'quota',
      effect: 'none',
      retryAfterMs: 60_000,
      resetAt: 61_000,
      evidence: { rule: 'signature:flux capacitor' },
    })
  })

  it('leaves what it does not say to the catalogue', () => {
    const signatures = says({ class: 'throttle' })
    expect(classify(text, { signatures })).toMatchObject({ kind: 'rate_limit', effect: 'maybe' })
    expect(classify(`${text}: your credit balance is too low`, { signatures })).toMatchObject({
      class: 'throttle',
      kind: 'billing',
    })
  })

  it('cannot make the effect of a program that worked none', () => {
    const signatures = says({ class: 'transient', effect: 'none' })
    const killed = { exitCode: null, signal: 'SIGKILL', stdout: '', stderr: text }
    expect(classify(killed, { signatures })?.effect).toBe('maybe')
  })

  it('comes after what the caller itself did', () => {
    const signatures = says({ class: 'permanent' })
    expect(classify(text, { signatures, own: { aborted: true } })?.class).toBe('aborted')
  })
})

describe('a label of a fingerprint', () => {
  const { fingerprint } = unknown
  const text = 'the flux capacitor of unit seven is detuned'

  it('decides for exactly the failures with that fingerprint, and shows what lost', () => {
    const signatures = new Signatures('', {}, [], [{ fingerprint, class: 'transient', kind: 'network' }])
    const failure = classify(text, { signatures })
    expect(failure).toMatchObject({ class: 'transient', kind: 'network', fingerprint })
    expect(failure?.evidence).toMatchObject({ rule: `label:${fingerprint}`, lost: [{ rule: 'none' }] })
    expect(classify('another one', { signatures })?.class).toBe('unknown')
  })

  it('beats the pattern of another label, and loses to a pattern of the config', () => {
    const learned = [
      { fingerprint, class: 'transient' as const },
      { pattern: 'flux', class: 'permanent' as const },
    ]
    expect(classify(text, { signatures: new Signatures('', {}, [], learned) })?.class).toBe('transient')
    const config = [{ pattern: 'detuned', class: 'timeout' as const }]
    expect(classify(text, { signatures: new Signatures('', {}, config, learned) })?.class).toBe('timeout')
  })
})

describe('signatures of several kinds', () => {
  const first = (signatures: Signatures) => signatures.match('alpha beta')?.pattern

  it('apply in the order lists, config, labels, with throttles first in each', () => {
    const transient = { pattern: 'alpha', class: 'transient' as const }
    const throttle = { pattern: 'beta', class: 'throttle' as const }
    expect(first(new Signatures('p', { flake: ['a.pha'] }, [throttle]))).toBe('a.pha')
    expect(first(new Signatures('p', {}, [transient, throttle]))).toBe('beta')
    expect(first(new Signatures('p', {}, [transient], [throttle]))).toBe('alpha')
  })

  it('apply to their provider, or to all', () => {
    const own = { pattern: 'alpha', class: 'transient' as const, provider: 'p' }
    const all = { pattern: 'beta', class: 'transient' as const }
    expect(first(new Signatures('p', {}, [all, own]))).toBe('alpha')
    expect(first(new Signatures('q', {}, [all, own]))).toBe('beta')
  })
})
