import type { Unknown } from '../ledger/unknown.ts'
import { jsonWriter } from '../shape/json-writer.ts'
import { backtest, label, taught, unknown } from './unknown-shape.ts'
import type { TeachingPreview, UnknownDetails } from './unknowns.ts'

/** A backtest report as JSON. */
export const backtestToJson = jsonWriter(backtest)
/** A label as JSON. */
export const labelToJson = jsonWriter(label)

const writeUnknown = jsonWriter(unknown)
const writeTaught = jsonWriter(taught)

/** An unknown as JSON. */
export function unknownToJson(given: Unknown) {
  const samples = given.samples.map(({ failure, ...sample }) => ({ ...sample, message: failure.message }))
  return writeUnknown({ ...given, samples })
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
  { details, signatures, backtest: tried }: TeachingPreview,
  ids?: readonly string[],
) {
  return writeTaught({
    ...details,
    given: ids !== undefined,
    labels: ids,
    signature: signatures[0]?.pattern,
    backtest: tried,
  })
}
