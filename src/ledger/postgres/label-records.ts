import type { Time } from '../../time/time.ts'
import type { Label, LabelFilter, NewLabel } from '../label.ts'
import { checkLabel, LABEL_IDS, type LabelRow, labelTold, toLabel } from '../row/label-row.ts'
import { withoutSecrets } from '../without-secrets.ts'
import { Collision } from './collision.ts'
import type { OperationRows } from './operation-rows.ts'
import { Conditions } from './row-page.ts'
import type { Sql } from './sql.ts'

/** Stores the labels that people give to unknown failures. A label is never changed, only withdrawn. */
export class LabelRecords {
  readonly #sql: Sql
  readonly #time: Time
  readonly #rows: OperationRows

  constructor(sql: Sql, time: Time, rows: OperationRows) {
    this.#sql = sql
    this.#time = time
    this.#rows = rows
  }

  async add(label: NewLabel): Promise<{ id: string; replaced?: string }> {
    checkLabel(label)
    const provider = label.provider ?? ''
    const old = await this.#sql.row<LabelRow>(
      'SELECT * FROM labels WHERE fingerprint = $1 AND provider = $2 AND withdrawn_at IS NULL FOR UPDATE',
      [label.fingerprint, provider],
    )
    const now = this.#time.now()
    if (old) await this.#withdraw(old, label.who)
    const row = await this.#sql.row<{ id: number }>(
      `INSERT INTO labels (fingerprint, provider, class, kind, effect, retry_after_ms, signature, who, why, at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       ON CONFLICT (fingerprint, provider) WHERE withdrawn_at IS NULL DO NOTHING RETURNING id`,
      [
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
      ],
    )
    if (!row) throw new Collision('another transaction added a label')
    const id = LABEL_IDS.toId(row.id)
    if (old) await this.#sql.run('UPDATE labels SET replaced_by = $1 WHERE id = $2', [row.id, old.id])
    const replaced = old && LABEL_IDS.toId(old.id)
    const more = { by: label.who, ...(replaced === undefined ? {} : { replaced }) }
    await this.#rows.tell(now, 'labelled', labelTold(id, label, more))
    return { id, ...(replaced === undefined ? {} : { replaced }) }
  }

  async withdraw(id: string, who: string): Promise<boolean> {
    const row = await this.#sql.row<LabelRow>(
      'SELECT * FROM labels WHERE id = $1 AND withdrawn_at IS NULL FOR UPDATE',
      [LABEL_IDS.numberOf(id) ?? 0],
    )
    if (!row) return false
    await this.#withdraw(row, who)
    await this.#rows.tell(this.#time.now(), 'label_withdrawn', labelTold(id, toLabel(row), { by: who }))
    return true
  }

  async list({ fingerprint, withdrawn = false }: LabelFilter): Promise<Label[]> {
    const conditions = new Conditions().isOneOf('fingerprint', fingerprint)
    if (withdrawn !== 'both') conditions.add(`withdrawn_at IS ${withdrawn ? 'NOT ' : ''}NULL`)
    const rows = await this.#sql.rows<LabelRow>(
      `SELECT * FROM labels WHERE ${conditions.sql} ORDER BY id`,
      conditions.values,
    )
    return rows.map(toLabel)
  }

  async #withdraw({ id }: LabelRow, who: string): Promise<void> {
    await this.#sql.run('UPDATE labels SET withdrawn_at = $1, withdrawn_by = $2 WHERE id = $3', [
      this.#time.now(),
      who,
      id,
    ])
  }
}
