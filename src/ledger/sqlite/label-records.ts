import type { Time } from '../../time/time.ts'
import type { Label, LabelFilter, NewLabel } from '../label.ts'
import { checkLabel, LABEL_IDS as IDS, type LabelRow, labelTold, toLabel } from '../row/label-row.ts'
import { withoutSecrets } from '../without-secrets.ts'
import type { EventLog } from './event-log.ts'
import type { Statements } from './statements.ts'

/** Stores labels of unknowns. A label is never changed, only withdrawn. */
export class LabelRecords {
  readonly #statements: Statements
  readonly #time: Time
  readonly #events: EventLog

  constructor(statements: Statements, time: Time, events: EventLog) {
    this.#statements = statements
    this.#time = time
    this.#events = events
  }

  add(label: NewLabel): { id: string; replaced?: string } {
    checkLabel(label)
    const provider = label.provider ?? ''
    const old = this.#statements
      .of('SELECT * FROM labels WHERE fingerprint = ? AND provider = ? AND withdrawn_at IS NULL')
      .get(label.fingerprint, provider) as unknown as LabelRow | undefined
    if (old) this.#withdraw(old, label.who)
    const { lastInsertRowid } = this.#statements
      .of(`INSERT INTO labels (fingerprint, provider, class, kind, effect, retry_after_ms, signature, who, why, at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
      .run(
        label.fingerprint,
        provider,
        label.class,
        label.kind ?? null,
        label.effect ?? null,
        label.retryAfterMs ?? null,
        label.signature ?? null,
        label.who,
        withoutSecrets(label.why) ?? null,
        this.#time.now(),
      )
    const number = Number(lastInsertRowid)
    const id = IDS.toId(number)
    if (old) this.#statements.of('UPDATE labels SET replaced_by = ? WHERE id = ?').run(number, old.id)
    const replaced = old && IDS.toId(old.id)
    const more = { by: label.who, ...(replaced === undefined ? {} : { replaced }) }
    this.#events.general(this.#time.now(), 'labelled', labelTold(id, label, more))
    return { id, ...(replaced === undefined ? {} : { replaced }) }
  }

  withdraw(id: string, who: string): boolean {
    const row = this.#statements
      .of('SELECT * FROM labels WHERE id = ? AND withdrawn_at IS NULL')
      .get(IDS.numberOf(id) ?? 0) as unknown as LabelRow | undefined
    if (!row) return false
    this.#withdraw(row, who)
    this.#events.general(this.#time.now(), 'label_withdrawn', labelTold(id, toLabel(row), { by: who }))
    return true
  }

  list({ fingerprint, withdrawn = false }: LabelFilter): Label[] {
    const inForce = withdrawn === 'both' ? 'TRUE' : `withdrawn_at IS ${withdrawn ? 'NOT ' : ''}NULL`
    const rows = this.#statements
      .of(`SELECT * FROM labels WHERE ${inForce} AND (?1 IS NULL OR fingerprint = ?1) ORDER BY id`)
      .all(fingerprint ?? null)
    return (rows as unknown as LabelRow[]).map(toLabel)
  }

  #withdraw({ id }: LabelRow, who: string): void {
    this.#statements
      .of('UPDATE labels SET withdrawn_at = ?, withdrawn_by = ? WHERE id = ?')
      .run(this.#time.now(), who, id)
  }
}
