import { classOfKind, type Failure, type FailureKind } from '../failure/failure.ts'

export type { Failure, FailureKind }

/** A complete failure of a kind. Fields that are not given have the usual value; effect is `none`. */
export function failureOfKind(given: FailureKind | (Partial<Failure> & Pick<Failure, 'kind'>)): Failure {
  const { kind, ...more } = typeof given === 'string' ? { kind: given } : given
  return {
    class: classOfKind(kind),
    kind,
    effect: 'none',
    message: `${kind}, as scripted`,
    evidence: { rule: `script:${kind}`, where: 'script', excerpt: kind, lost: [] },
    fingerprint: `fp1:${Buffer.from(kind).toString('hex').padEnd(16, '0').slice(0, 16)}`,
    ...more,
  }
}
