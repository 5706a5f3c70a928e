import { present } from '../../failure/present.ts'
import { Collision } from '../collision.ts'
import type { Label, LabelFilter, NewLabel } from '../label.ts'
import { checkLabel, LABEL_IDS, type LabelRow, labelTold, toLabel } from '../row/label-row.ts'
import { withoutSecrets } from '../without-secrets.ts'
import { type Asking, row, rows } from './asking.ts'
import { isOneOf, whereOf } from './conditions.ts'

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
