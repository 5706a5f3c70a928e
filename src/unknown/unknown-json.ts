import type { Label } from '../ledger/label.ts'
import type { Unknown } from '../ledger/unknown.ts'
import { timeToJson } from '../time/time-json.ts'
import type { BacktestReport } from './backtest.ts'
import type { TeachingPreview, UnknownDetails } from './unknowns.ts'

/** A backtest report as JSON. */
export function backtestToJson({ failures, matched, flips, changes }: BacktestReport) {
  return {
    failures,
    matched,
    flips,
    changes: changes.map(({ isFlip, ...change }) => ({ ...change, is_flip: isFlip })),
  }
}

/** A label as JSON. */
export function labelToJson({ id, fingerprint, provider, class: cls, kind, effect, ...label }: Label) {
  return {
    id,
    fingerprint,
    provider: provider ?? null,
    class: cls,
    kind: kind ?? null,
    effect: effect ?? null,
    retry_after_ms: label.retryAfterMs ?? null,
    signature: label.signature ?? null,
    who: label.who,
    why: label.why ?? null,
    at: timeToJson(label.at),
    ...(label.withdrawnAt === undefined ? {} : { withdrawn_at: timeToJson(label.withdrawnAt) }),
    ...(label.withdrawnBy === undefined ? {} : { withdrawn_by: label.withdrawnBy }),
    ...(label.replacedBy === undefined ? {} : { replaced_by: label.replacedBy }),
  }
}

/** An unknown as JSON. */
export function unknownToJson({ fingerprint, provider, count, outcomes, models, samples, ...seen }: Unknown) {
  return {
    fingerprint,
    provider: provider ?? null,
    count,
    outcomes,
    first_seen_at: timeToJson(seen.firstSeenAt),
    last_seen_at: timeToJson(seen.lastSeenAt),
    models,
    samples: samples.map(({ at, failure, operation }) => ({
      at: timeToJson(at),
      message: failure.message,
      operation: operation ?? null,
    })),
    escalated_at: seen.escalatedAt === undefined ? null : timeToJson(seen.escalatedAt),
  }
}

/** Everything about one fingerprint as JSON. */
export function detailsToJson(details: UnknownDetails) {
  const { fingerprint, unknowns, labels, parked, proposal, suggestions } = details
  return {
    fingerprint,
    unknowns: unknowns.map(unknownToJson),
    labels: labels.map(labelToJson),
    parked,
    proposed_signature: proposal.pattern ?? null,
    no_signature_because: proposal.none ?? null,
    suggestions: suggestions.map(({ value, similarity }) => ({ similarity, label: labelToJson(value) })),
  }
}

/** The effect of a label as JSON, with the ids of the labels once it is given. */
export function teachingToJson(
  { details: { fingerprint, parked }, signatures, backtest }: TeachingPreview,
  ids?: readonly string[],
) {
  return {
    fingerprint,
    given: ids !== undefined,
    ...(ids === undefined ? {} : { labels: ids }),
    signature: signatures[0]?.pattern ?? null,
    parked,
    backtest: backtestToJson(backtest),
  }
}
