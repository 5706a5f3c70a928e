import type { Asking, Question } from '../record/asking.ts'
import type { Sql } from './sql.ts'
import { lexemes } from './words.ts'

/** Ends the lease, which is in the row itself. */
const ENDS_RUN = ', runner = NULL, lease_until = NULL, lease_ms = NULL, renewals = NULL'
/** Begins it; its two values start at $`first`. */
const LEASED = (first: number) =>
  `, runner = $${first}, lease_ms = $${first + 1}, lease_until = $1 + $${first + 1}, renewals = 0`

/** Answers the questions of a record, one after the other. */
export async function answer<T>(sql: Sql, asking: Asking<T>): Promise<T> {
  let step = asking.next()
  while (!step.done) step = asking.next(await answerTo(sql, step.value))
  return step.value
}

async function answerTo(sql: Sql, question: Question): Promise<readonly unknown[]> {
  if ('text' in question) return sql.rows(question.text, question.values)
  if ('change' in question) return numbersOf(changed(sql, question))
  if ('tell' in question)
    return numbersOf(
      sql.rows(
        `INSERT INTO events (id, at, type, data) VALUES (nextval('numbers'), $1, $2, $3) RETURNING id AS number`,
        [question.at, question.tell, JSON.stringify(question.data)],
      ),
    )
  if ('number' in question) return numbersOf(sql.rows("SELECT nextval('numbers') AS number"))
  if ('search' in question)
    await sql.run('INSERT INTO failure_texts (attempt, words) VALUES ($1, array_to_tsvector($2::text[]))', [
      question.attempt,
      lexemes(question.search),
    ])
  else if ('alone' in question)
    await sql.run('SELECT pg_advisory_xact_lock(hashtextextended(current_schema || $1, 1))', [question.alone])
  else await sql.run("SELECT nextval('changes')")
  return []
}

function changed(
  sql: Sql,
  { change, of }: Extract<Question, { change: unknown }>,
): Promise<{ number: number }[]> {
  const { at, type, data, set, values = [], endsRun = false, lease } = change
  const leased = lease ? LEASED(7 + values.length) : ''
  return sql.rows(
    `WITH told AS (INSERT INTO events (id, at, type, operation, run, previous, data)
      VALUES (nextval('numbers'), $1, $2, $3, $4, $5, $6) RETURNING id)
    UPDATE operations SET updated_at = $1, last_event = (SELECT id FROM told), ${set}${endsRun ? ENDS_RUN : ''}${leased}
    WHERE id = $3 RETURNING last_event AS number`,
    [
      at,
      type,
      of.id,
      of.run === 0 ? null : of.run,
      of.last_event,
      data === undefined ? null : JSON.stringify(data),
      ...values,
      ...(lease ? [lease.runner, lease.lengthMs] : []),
    ],
  )
}

async function numbersOf(rows: Promise<{ number: number }[]>): Promise<number[]> {
  return (await rows).map(({ number }) => number)
}
