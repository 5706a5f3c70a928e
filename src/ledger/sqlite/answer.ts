import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { AskedValue, Asking, Question } from '../record/asking.ts'
import type { EventLog } from './event-log.ts'

/** Answers the questions of a record at once. */
export class Answers {
  readonly #db: DatabaseSync
  readonly #events: EventLog
  readonly #changed: (operation: number) => void
  /** Prepared on first use, by the text of the record: most processes need few of them. */
  readonly #statements = new Map<string, StatementSync>()
  readonly #changes = new Map<string, StatementSync>()

  /** @param changed called with the number of every operation that a record changes */
  constructor(db: DatabaseSync, events: EventLog, changed: (operation: number) => void) {
    this.#db = db
    this.#events = events
    this.#changed = changed
  }

  of<T>(asking: Asking<T>): T {
    let step = asking.next()
    while (!step.done) step = asking.next(this.#answer(step.value))
    return step.value
  }

  #answer(question: Question): readonly unknown[] {
    if ('text' in question) {
      const statement = this.#statement(question.text)
      const values = bound(question.values)
      if (!question.isOne) return statement.all(...values)
      const row = statement.get(...values)
      return row === undefined ? NOTHING : [row]
    }
    if ('change' in question) return [this.#change(question)]
    if ('tell' in question) return [this.#events.general(question.at, question.tell, question.data)]
    if ('number' in question) return [this.#events.next()]
    if ('search' in question)
      this.#statement('INSERT INTO failure_texts (rowid, text) VALUES ($1, $2)').run(
        question.attempt,
        question.search,
      )
    return NOTHING
  }

  #statement(text: string): StatementSync {
    let statement = this.#statements.get(text)
    if (!statement) {
      statement = this.#db.prepare(translated(text))
      this.#statements.set(text, statement)
    }
    return statement
  }

  #change({ change, of }: Extract<Question, { change: unknown }>): number {
    const { at, type, data, set, values = [] } = change
    const event = this.#events.of(of, at, type, data)
    let statement = this.#changes.get(set)
    if (!statement) {
      statement = this.#db.prepare(update(set))
      this.#changes.set(set, statement)
    }
    statement.run(at, event, of.id, ...bound(values))
    this.#changed(of.id)
    return event
  }
}

const NOTHING: readonly unknown[] = []

/** Answers a record that only reads, on any connection. */
export function answerRead<T>(db: DatabaseSync, asking: Asking<T>): T {
  let step = asking.next()
  while (!step.done) {
    if (!('text' in step.value)) throw new Error('a record that only reads asked for a write')
    const { text, values } = step.value
    step = asking.next(db.prepare(translated(text)).all(...bound(values)))
  }
  return step.value
}

/** The same in SQLite's words. */
export function translated(text: string): string {
  return text
    .replaceAll(/= ANY\(\$(\d+)::\w+\[\]\)/g, 'IN (SELECT value FROM json_each(?$1))')
    .replaceAll(
      /SELECT (DISTINCT )?unnest\(\$(\d+)::\w+\[\]\)( AS \w+)?/g,
      'SELECT $1value$3 FROM json_each(?$2)',
    )
    .replaceAll(/::\w+/g, '')
    .replaceAll(/\$(\d+)/g, '?$1')
    .replaceAll(/ FOR (?:UPDATE|SHARE)(?: SKIP LOCKED)?/g, '')
    .replaceAll('IS DISTINCT FROM', 'IS NOT')
    .replaceAll('json_agg(', 'json_group_array(')
    .replaceAll('json_build_array(', 'json_array(')
    .replaceAll('greatest(', 'max(')
    .replaceAll('least(', 'min(')
    .replaceAll('failure_texts WHERE attempt', 'failure_texts WHERE rowid')
}

/** The statement of a change: ?1 is when, ?2 the event, ?3 the operation, and the values of its columns follow. */
function update(set: string): string {
  const columns = set.replaceAll(/\$(\d{2,}|[4-9])/g, (_, number: string) => `$${Number(number) - 3}`)
  return `UPDATE operations SET updated_at = ?1, last_event = ?2, ${translated(columns)} WHERE id = ?3`
}

/** A list is bound as JSON. */
function bound(values: readonly AskedValue[]): readonly SQLInputValue[] {
  for (const value of values) if (typeof value === 'object' && value !== null) return values.map(asText)
  return values as readonly SQLInputValue[]
}

function asText(value: AskedValue): SQLInputValue {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}
