import type { FailureKind } from '../../failure/failure.ts'
import { LABEL_CLASSES, type LabelClass, problemOfLabel } from '../../failure/label.ts'
import type { Time } from '../../time/time.ts'
import { LedgerError } from '../error.ts'
import type { Label, LabelFilter, NewLabel } from '../label.ts'
import { withoutSecrets } from './attempts.ts'
import type { EventLog } from './event-log.ts'
import { NumberedIds } from './numbered-id.ts'
import type { Statements } from './statements.ts'

interface LabelRow {
  id: number
  fingerprint: string
  /** Empty for all. */
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

const IDS = new NumberedIds('label')

/** Keeps what people say that unknowns are. A label is never changed, only withdrawn. */
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
    check(label)
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
    this.#tell('labelled', id, label, { by: label.who, ...(replaced === undefined ? {} : { replaced }) })
    return { id, ...(replaced === undefined ? {} : { replaced }) }
  }

  withdraw(id: string, who: string): boolean {
    const row = this.#statements
      .of('SELECT * FROM labels WHERE id = ? AND withdrawn_at IS NULL')
      .get(IDS.numberOf(id) ?? 0) as unknown as LabelRow | undefined
    if (!row) return false
    this.#withdraw(row, who)
    this.#tell('label_withdrawn', id, toLabel(row), { by: who })
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

  #tell(
    type: 'labelled' | 'label_withdrawn',
    label: string,
    { fingerprint, provider, class: cls, kind }: NewLabel,
    more: Record<string, unknown>,
  ): void {
    this.#events.general(this.#time.now(), type, {
      label,
      fingerprint,
      ...(provider === undefined ? {} : { provider }),
      class: cls,
      ...(kind === undefined ? {} : { kind }),
      ...more,
    })
  }
}

function check(label: NewLabel): void {
  const { fingerprint, who, class: cls, effect, retryAfterMs } = label
  const refuse = (problem: string) => {
    throw new LedgerError('invalid', `the label of ${fingerprint}: ${problem}`)
  }
  if (fingerprint === '') throw new LedgerError('invalid', 'a label needs the fingerprint that it names')
  if (who === '') refuse('it needs a name in `who`')
  if (!LABEL_CLASSES.includes(cls))
    refuse(`class ${cls} says nothing; give one of ${LABEL_CLASSES.join(', ')}`)
  if (effect !== undefined && effect !== 'none' && effect !== 'maybe')
    refuse(`effect ${effect} cannot be told of others; give none or maybe`)
  if (retryAfterMs !== undefined && !(Number.isSafeInteger(retryAfterMs) && retryAfterMs >= 0))
    refuse(`retryAfterMs ${retryAfterMs}: give whole milliseconds, 0 or more`)
  const found = problemOfLabel(label)
  if (found) refuse(found.problem)
}

function toLabel(row: LabelRow): Label {
  return {
    id: IDS.toId(row.id),
    fingerprint: row.fingerprint,
    ...(row.provider === '' ? {} : { provider: row.provider }),
    class: row.class,
    ...(row.kind === null ? {} : { kind: row.kind }),
    ...(row.effect === null ? {} : { effect: row.effect }),
    ...(row.retry_after_ms === null ? {} : { retryAfterMs: row.retry_after_ms }),
    ...(row.signature === null ? {} : { signature: row.signature }),
    who: row.who,
    ...(row.why === null ? {} : { why: row.why }),
    at: row.at,
    ...(row.withdrawn_at === null ? {} : { withdrawnAt: row.withdrawn_at }),
    ...(row.withdrawn_by === null ? {} : { withdrawnBy: row.withdrawn_by }),
    ...(row.replaced_by === null ? {} : { replacedBy: IDS.toId(row.replaced_by) }),
  }
}
