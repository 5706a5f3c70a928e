import type { FailureKind } from '../../failure/failure.ts'
import { LABEL_CLASSES, type LabelClass, problemOfLabel } from '../../failure/label.ts'
import { present } from '../../failure/present.ts'
import { Collision } from '../collision.ts'
import { LedgerError } from '../error.ts'
import type { Label, LabelFilter, NewLabel } from '../label.ts'
import { filled } from '../row/filled.ts'
import { NumberedIds } from '../row/numbered-id.ts'
import { withoutSecrets } from '../without-secrets.ts'
import { type Asking, row, rows } from './asking.ts'
import { isOneOf, whereOf } from './conditions.ts'

/** A row of the labels table. */
interface LabelRow {
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
const LABEL_IDS = new NumberedIds('label')

/** Stores a label of an unknown failure. A label is never changed, only withdrawn. */
export function* addLabel(label: NewLabel, now: number): Asking<{ id: string; replaced?: string }> {
  checkLabel(label)
  const provider = label.provider ?? ''
  const old = yield* row<LabelRow>(
    'SELECT * FROM labels WHERE fingerprint = $1 AND provider = $2 AND withdrawn_at IS NULL FOR UPDATE',
    label.fingerprint,
    provider,
  )
  if (old) yield* withdraw(old, label.who, now)
  const added = yield* row<{ id: number }>(
    `INSERT INTO labels (fingerprint, provider, class, kind, effect, retry_after_ms, signature, who, why, at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     ON CONFLICT (fingerprint, provider) WHERE withdrawn_at IS NULL DO NOTHING RETURNING id`,
    label.fingerprint,
    provider,
    label.class,
    label.kind ?? null,
    label.effect ?? null,
    label.retryAfterMs ?? null,
    label.signature ?? null,
    label.who,
    withoutSecrets(label.why) ?? null,
    now,
  )
  if (!added) throw new Collision('another transaction added a label')
  const id = LABEL_IDS.toId(added.id)
  if (old) yield* row('UPDATE labels SET replaced_by = $1 WHERE id = $2', added.id, old.id)
  const replaced = old && LABEL_IDS.toId(old.id)
  const more = { by: label.who, ...present({ replaced }) }
  yield { tell: 'labelled', at: now, data: labelTold(id, label, more) }
  return { id, ...present({ replaced }) }
}

export function* withdrawLabel(id: string, who: string, now: number): Asking<boolean> {
  const found = yield* row<LabelRow>(
    'SELECT * FROM labels WHERE id = $1 AND withdrawn_at IS NULL FOR UPDATE',
    LABEL_IDS.numberOf(id) ?? 0,
  )
  if (!found) return false
  yield* withdraw(found, who, now)
  yield { tell: 'label_withdrawn', at: now, data: labelTold(id, toLabel(found), { by: who }) }
  return true
}

export function* labels({ fingerprint, withdrawn = false }: LabelFilter): Asking<Label[]> {
  const { where, values } = whereOf([
    ...isOneOf('fingerprint', fingerprint),
    ...(withdrawn === 'both' ? [] : [{ sql: `withdrawn_at IS ${withdrawn ? 'NOT ' : ''}NULL` }]),
  ])
  const found = yield* rows<LabelRow>(`SELECT * FROM labels WHERE ${where} ORDER BY id`, ...values)
  return found.map(toLabel)
}

function* withdraw({ id }: LabelRow, who: string, now: number): Asking<void> {
  yield* row('UPDATE labels SET withdrawn_at = $1, withdrawn_by = $2 WHERE id = $3', now, who, id)
}

/** Refuses an invalid label, or one that says nothing. */
function checkLabel(label: NewLabel): void {
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
function toLabel(row: LabelRow): Label {
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
function labelTold(
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
