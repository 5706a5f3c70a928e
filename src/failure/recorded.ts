import { classify } from './classify.ts'
import { lostOf } from './evidence.ts'
import type { Failure } from './failure.ts'
import { type FailureLabel, withLabel } from './label.ts'
import type { Signatures } from './signature.ts'

/** A recorded failure as it is classified now. */
export interface Reclassified {
  failure: Failure
  /** What decided: the text matches a signature, or a person has labelled the fingerprint. */
  by: 'signature' | 'label'
}

/**
 * Applies the current signatures to a recorded failure, by its kept text and its fingerprint, with the precedence of
 * `classify`. Undefined if no signature matches, or if Mulligan itself caused the failure.
 * @param now epoch milliseconds; waits count from here
 */
export function classifyRecorded(
  failure: Failure,
  signatures: Signatures | undefined,
  now: number,
): Reclassified | undefined {
  if (!signatures || failure.origin !== undefined) return undefined
  const texts = failure.text === undefined ? [failure.message] : [failure.text, failure.message]
  const match = signatures.match(...texts)
  const label = signatures.labelled(failure.fingerprint)
  if (match && !(match.isLearned && label))
    return {
      by: 'signature',
      failure: relabelled(failure, match.label, `signature:${match.pattern}`, 'signature', now),
    }
  if (!label) return undefined
  return {
    by: 'label',
    failure: relabelled(failure, label, `label:${failure.fingerprint}`, 'fingerprint', now),
  }
}

function relabelled(
  failure: Failure,
  label: FailureLabel,
  rule: string,
  where: 'signature' | 'fingerprint',
  now: number,
): Failure {
  const { evidence, turns = 0, costUsd = 0, signal } = failure
  const hasWorked = turns > 1 || costUsd > 0 || signal !== undefined || failure.effect === 'done'
  const stated = label.retryAfterMs === undefined ? statedIn(failure, label, now) : {}
  return {
    ...withLabel({ ...failure, ...stated }, label, { now, hasWorked }),
    evidence: {
      rule,
      where,
      excerpt: evidence.excerpt,
      speaker: 'operator',
      ...(evidence.clock === undefined ? {} : { clock: evidence.clock }),
      lost: [lostOf(evidence), ...evidence.lost].slice(0, 8),
    },
  }
}

/** Times were not read while the failure was unknown. Now that it has a class, read them. */
function statedIn({ text, message }: Failure, { class: cls }: FailureLabel, now: number): Partial<Failure> {
  const read = classify(text ?? message, { now, signatures: matchAnything(cls) })
  if (read?.class !== cls) return {}
  const { retryAfterMs, resetAt } = read
  return {
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(resetAt === undefined ? {} : { resetAt }),
  }
}

/** A stand-in that matches any text as this class, so that `classify` reads the text's times. */
function matchAnything(cls: FailureLabel['class']): Signatures {
  const match = (text = '') => ({
    label: { class: cls },
    pattern: '',
    isLearned: false,
    text,
    start: 0,
    end: text.length,
  })
  return { match, matchAll: () => [0], hasFingerprints: false } as unknown as Signatures
}
