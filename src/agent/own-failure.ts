import {
  classOfKind,
  type Failure,
  type FailureClass,
  type FailureKind,
  type FailureOrigin,
} from '../failure/failure.ts'
import { fingerprintOf } from '../failure/fingerprint/fingerprint.ts'
import { madeHere } from '../failure/made-here.ts'
import { present } from '../failure/present.ts'
import { redact } from '../failure/redact.ts'

/** A failure that Mulligan itself found, before or around a run, so there is nothing to classify. */
export function ownFailure(facts: {
  kind: FailureKind
  message: string
  /** The rule that decided, without its prefix. */
  rule: string
  provider?: string
  class?: FailureClass
  effect?: Failure['effect']
  origin?: FailureOrigin
}): Failure {
  const message = redact(facts.message)
  return {
    class: facts.class ?? classOfKind(facts.kind),
    kind: facts.kind,
    effect: facts.effect ?? 'none',
    ...present({ origin: facts.origin, provider: facts.provider }),
    message,
    evidence: madeHere({ rule: `agent:${facts.rule}`, where: 'agent', excerpt: message, lost: [] }),
    fingerprint: fingerprintOf({
      provider: facts.provider,
      name: facts.rule,
      texts: [{ value: message, depth: 0 }],
    }),
  }
}
