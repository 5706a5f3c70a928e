import { momentInWords } from '../../daemon/words/failure-words.ts'
import type { FailureClass } from '../../failure/failure.ts'
import type { Unknown } from '../../ledger/unknown.ts'
import { formatDuration } from '../../time/duration.ts'
import type { BacktestReport } from '../../unknown/backtest.ts'
import type { UnknownDetails } from '../../unknown/unknowns.ts'

/** The provider and model that failed. */
function whoOf({ provider, models }: Unknown): string {
  return [provider ?? 'no provider', ...(models[0] === undefined ? [] : [models[0]])].join('/')
}

/** One unknown in one line of a list. */
export function unknownInOneLine(unknown: Unknown, now: number): string {
  const { fingerprint, count, lastSeenAt, samples } = unknown
  const message = samples[0]?.failure.message ?? ''
  return `${fingerprint}  ${count}×  last ${momentInWords(lastSeenAt, now)}  ${whoOf(unknown)}  ${message}`
}

interface LabelText {
  class: FailureClass
  kind?: string | undefined
  effect?: string | undefined
  retryAfterMs?: number | undefined
}

/** A label in one line: `throttle/quota, effect maybe, wait 1h`. */
export function labelInWords({ class: cls, kind, effect, retryAfterMs }: LabelText): string {
  return [
    kind === undefined ? cls : `${cls}/${kind}`,
    ...(effect === undefined ? [] : [`effect ${effect}`]),
    ...(retryAfterMs === undefined ? [] : [`wait ${formatDuration(retryAfterMs)}`]),
  ].join(', ')
}

/** Everything about one fingerprint. */
export function detailsInWords(
  { fingerprint, unknowns, labels, parked, proposal, suggestions }: UnknownDetails,
  now: number,
): string {
  const lines = [
    fingerprint,
    ...unknowns.map(
      unknown =>
        `  ${whoOf(unknown)}: seen ${unknown.count}×, first ${momentInWords(unknown.firstSeenAt, now)}, last ${momentInWords(unknown.lastSeenAt, now)}`,
    ),
    `  ${parked} ${parked === 1 ? 'operation waits' : 'operations wait'} for a label`,
    ...labels.map(
      label =>
        `  labelled ${labelInWords(label)} by ${label.who} at ${momentInWords(label.at, now)} (${label.id}, for ${label.provider ?? 'all providers'})${label.why === undefined ? '' : `: ${label.why}`}`,
    ),
    '  samples:',
    ...unknowns.flatMap(({ samples }) => samples.map(({ failure }) => `    ${failure.message}`)),
    proposal.pattern === undefined
      ? `  no safe signature: ${proposal.none}; a label will match only the fingerprint`
      : `  proposed signature: ${proposal.pattern}`,
    ...(suggestions.length > 0 ? ['  similar failures:'] : []),
    ...suggestions.map(
      ({ value, similarity }) =>
        `    ${Math.round(similarity * 100)} % ${value.fingerprint}, labelled ${labelInWords(value)}`,
    ),
  ]
  return `${lines.join('\n')}\n`
}

/** A backtest report for people. */
export function backtestInWords({ failures, matched, flips, changes }: BacktestReport): string {
  const lines = [
    `Backtest: ${failures} failures, ${matched} matched, ${flips} ${flips === 1 ? 'flip' : 'flips'}`,
    ...changes.flatMap(({ from, to, count, isFlip, examples }) => [
      `  ${isFlip ? 'FLIP ' : ''}${from} → ${to}: ${count}`,
      ...examples.map(example => `    ${example}`),
    ]),
  ]
  return `${lines.join('\n')}\n`
}
