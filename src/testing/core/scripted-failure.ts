import { classOfKind, type Failure, type FailureKind } from '../../failure/failure.ts'
import { madeHere } from '../../failure/made-here.ts'

export type { Failure, FailureKind }

/** A complete failure of a kind. Missing fields get typical values; the effect is `none`. */
export function failureOfKind(given: FailureKind | (Partial<Failure> & Pick<Failure, 'kind'>)): Failure {
  const { kind, ...more } = typeof given === 'string' ? { kind: given } : given
  return {
    class: classOfKind(kind),
    kind,
    effect: 'none',
    message: `scripted ${kind}`,
    evidence: madeHere({ rule: `script:${kind}`, where: 'script', excerpt: kind, lost: [] }),
    fingerprint: `fp1:${hex(kind).padEnd(16, '0').slice(0, 16)}`,
    ...more,
  }
}

function hex(text: string): string {
  return [...new TextEncoder().encode(text)].map(byte => byte.toString(16).padStart(2, '0')).join('')
}
