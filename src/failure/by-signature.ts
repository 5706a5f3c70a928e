import { buildFailure, firstFingerprint } from './build.ts'
import type { KnownRule } from './catalogue/compiled-form.ts'
import { type ClassifyContext, isSignatures, type UsableContext } from './context.ts'
import { hasWorked } from './effect.ts'
import { lostOf } from './evidence.ts'
import type { Failure } from './failure.ts'
import { type FailureLabel, withLabel } from './label.ts'
import { madeHere } from './made-here.ts'
import type { Observation } from './observe/observation.ts'
import { fact, signatureRule, UNRECOGNISED } from './own.ts'
import type { Candidate } from './precedence.ts'
import type { SignatureMatch, Signatures } from './signature.ts'

/**
 * The failure by signatures, else by the catalogue. The config's patterns come first, then the label of the exact
 * fingerprint, then patterns learned from labels.
 */
export function bySignatureOrCatalogue(
  observation: Observation,
  matched: Candidate[],
  context: UsableContext,
): Failure {
  const signatures = signaturesFor(context)
  const match = signatures?.match(...observation.heard.map(({ value }) => value))
  if (match && !(match.isLearned && signatures?.hasFingerprints))
    return bySignature(observation, match, matched, context)
  const candidates = orUnrecognised(observation, matched, context)
  const failure = buildFailure(observation, candidates, context)
  const label = signatures && labelOf(signatures, failure, observation, candidates[0] as Candidate)
  if (label) return byFingerprint(failure, label, observation, candidates, context)
  return match ? bySignature(observation, match, matched, context) : failure
}

/** The label of the failure's fingerprint, also if it was given to the first form of it. */
function labelOf(
  signatures: Signatures,
  failure: Failure,
  observation: Observation,
  winner: Candidate,
): FailureLabel | undefined {
  if (!signatures.hasFingerprints) return undefined
  const label = signatures.labelled(failure.fingerprint)
  if (label || !signatures.hasFirstFingerprints) return label
  return signatures.labelled(firstFingerprint(failure, observation, winner))
}

/** Applies a signature: it fixes the class; the catalogue fills in the rest if it agrees on the class. */
export function bySignature(
  observation: Observation,
  { label, pattern, text, start, end }: SignatureMatch,
  matched: Candidate[],
  context: UsableContext,
): Failure {
  const agreeing = matched.find(({ rule }) => rule.class === label.class)
  const rule: KnownRule = { ...(agreeing?.rule ?? signatureRule(label)), id: `signature:${pattern}` }
  const winner: Candidate = {
    rule,
    where: 'signature',
    source: text,
    at: start,
    end,
    depth: 0,
    structured: true,
    late: false,
  }
  const candidates = [winner, ...matched]
  const failure = buildFailure(observation, candidates, context)
  return withLabel(failure, label, { now: context.now, hasWorked: hasWorked(observation, candidates) })
}

/** Applies the label a person gave to this fingerprint. Everything the label leaves open stays as it was read. */
function byFingerprint(
  failure: Failure,
  label: FailureLabel,
  observation: Observation,
  candidates: Candidate[],
  context: UsableContext,
): Failure {
  const { evidence, fingerprint } = failure
  const known = { now: context.now, hasWorked: hasWorked(observation, candidates) }
  return {
    ...withLabel(failure, label, known),
    evidence: madeHere({
      rule: `label:${fingerprint}`,
      where: 'fingerprint',
      excerpt: evidence.excerpt,
      speaker: 'operator',
      ...(evidence.clock === undefined ? {} : { clock: evidence.clock }),
      lost: [lostOf(evidence), ...evidence.lost],
    }),
  }
}

export function signaturesFor({ signatures, provider }: ClassifyContext): Signatures | undefined {
  if (!signatures || isSignatures(signatures)) return signatures
  const own: unknown = signatures.get(provider ?? '')
  return isSignatures(own) ? own : undefined
}

function orUnrecognised(
  { process }: Observation,
  matched: Candidate[],
  { provider }: UsableContext,
): Candidate[] {
  if (matched.length > 0) return matched
  if (process && process.agent === undefined && provider === undefined && process.exitCode !== null)
    return [fact(UNRECOGNISED.command, 'input')]
  return [fact(UNRECOGNISED.unknown, 'input')]
}

/** The label that the operator or a person gave to such a failure since. */
export function bySignatureOnly(failure: Failure, context: UsableContext): Failure {
  const { evidence, fingerprint, effect } = failure
  const signatures = signaturesFor({ ...context, provider: failure.provider })
  const match = signatures?.match(failure.text ?? failure.message)
  const own = match?.isLearned ? signatures?.labelled(fingerprint) : undefined
  const label = own ?? match?.label ?? signatures?.labelled(fingerprint)
  if (!label) return failure
  const rule = match && !own ? `signature:${match.pattern}` : `label:${fingerprint}`
  const lost = [{ rule: evidence.rule, excerpt: evidence.excerpt }, ...evidence.lost]
  return {
    ...withLabel(failure, label, { now: context.now, hasWorked: effect !== 'none' }),
    evidence: madeHere({ ...evidence, rule, lost }),
  }
}
