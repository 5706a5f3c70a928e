import type { FailureKind } from '../../failure/failure.ts'
import { LABEL_CLASSES, type LabelClass, problemOfLabel } from '../../failure/label.ts'
import { present } from '../../failure/present.ts'
import { LedgerError } from '../error.ts'
import type { Label, NewLabel } from '../label.ts'
import { filled } from './filled.ts'
import { NumberedIds } from './numbered-id.ts'

/** A row of the labels table. */
export interface LabelRow {
  id: number
  fingerprint: string
  /** Empty for all providers. */
  provider: string
  class: LabelClass
  kind: FailureKind | null
  effect: 'none' | 'maybe' | null
  retry_after_ms: number | null
  signature: string | null
  who: string
  why: string | null
  at: number
  withdrawn_at: number | null
  withdrawn_by: string | null
  replaced_by: number | null
}

/** Ids of labels. */
export const LABEL_IDS = new NumberedIds('label')

/** Refuses an invalid label, or one that says nothing. */
export function checkLabel(label: NewLabel): void {
  const { fingerprint, who, class: cls, effect, retryAfterMs } = label
  const refuse = (problem: string) => {
    throw new LedgerError('invalid', `label of ${fingerprint}: ${problem}`)
  }
  if (fingerprint === '') throw new LedgerError('invalid', 'a label needs a fingerprint')
  if (who === '') refuse('it needs an author in `who`')
  if (!LABEL_CLASSES.includes(cls)) refuse(`class must be one of ${LABEL_CLASSES.join(', ')}, not ${cls}`)
  if (effect !== undefined && effect !== 'none' && effect !== 'maybe')
    refuse(`effect must be none or maybe, not ${effect}`)
  if (retryAfterMs !== undefined && !(Number.isSafeInteger(retryAfterMs) && retryAfterMs >= 0))
    refuse(`retryAfterMs must be an integer of at least 0, not ${retryAfterMs}`)
  const found = problemOfLabel(label)
  if (found) refuse(found.problem)
}

/** Converts a row to a label. */
export function toLabel(row: LabelRow): Label {
  return filled({
    id: LABEL_IDS.toId(row.id),
    fingerprint: row.fingerprint,
    ...(row.provider === '' ? {} : { provider: row.provider }),
    class: row.class,
    kind: row.kind,
    effect: row.effect,
    retryAfterMs: row.retry_after_ms,
    signature: row.signature,
    who: row.who,
    why: row.why,
    at: row.at,
    withdrawnAt: row.withdrawn_at,
    withdrawnBy: row.withdrawn_by,
    replacedBy: row.replaced_by === null ? null : LABEL_IDS.toId(row.replaced_by),
  })
}

/** What an event says about a label. */
export function labelTold(
  label: string,
  { fingerprint, provider, class: cls, kind }: NewLabel,
  more: Record<string, unknown>,
): Record<string, unknown> {
  return {
    label,
    fingerprint,
    ...present({ provider }),
    class: cls,
    ...present({ kind }),
    ...more,
  }
}
