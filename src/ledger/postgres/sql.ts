import pg from 'pg'
import type { SqlClient } from '../ledger.ts'
import { ofDriver } from './postgres-error.ts'

/** Asks a database: rows as objects, numbers as numbers. */
export interface Sql {
  /** The rows of an answer. */
  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** The first row of an answer, if there is one. */
  row<Row>(text: string, values?: readonly unknown[]): Promise<Row | undefined>
  /** How many rows were written. */
  run(text: string, values?: readonly unknown[]): Promise<number>
  /** The whole answer to a text that another library made. */
  answer(text: string, values: readonly unknown[]): Promise<{ rows: unknown[]; rowCount: number | null }>
  /** Statements without values, several at once, that are asked too rarely to be kept by the server. Gives the last rows. */
  exec(text: string): Promise<unknown[]>
}

/** Texts that were asked before, and the name that the server knows each of them by: it plans them once per connection. */
const NAMES = new Map<string, string>()
/** Texts that are made of parts come in too many forms to be named. */
const MOST_NAMES = 500

function nameOf(text: string): string | undefined {
  const known = NAMES.get(text)
  if (known !== undefined || NAMES.size >= MOST_NAMES) return known
  const name = `mulligan_${NAMES.size}`
  NAMES.set(text, name)
  return name
}

/** PostgreSQL stores no NUL in a text; one that is in a key or a message is replaced. */
function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}

/** Types of columns that the driver gives as text although all our values fit a number: bigint and numeric. */
const NUMBERS: ReadonlySet<number> = new Set([20, 1700])

const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    NUMBERS.has(oid) ? Number : pg.types.getTypeParser(oid, format as 'text'),
}

/** Questions on one connection, whosever it is. */
export function sqlOn(client: SqlClient): Sql {
  const ask = async (text: string, values: readonly unknown[]) => {
    const name = nameOf(text)
    const question = { ...(name === undefined ? {} : { name }), text, values: values.map(storable), types }
    return ofDriver(client.query(question))
  }
  return {
    rows: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await ask(text, values)).rows as Row[],
    row: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await ask(text, values)).rows[0] as Row | undefined,
    run: async (text, values = []) => (await ask(text, values)).rowCount ?? 0,
    answer: (text, values) => ofDriver(client.query({ text, values: [...values] })),
    exec: async text => {
      // Without values the driver sends it as it is, and answers to each of its statements.
      const question = { text, types }
      const answer = (await ofDriver(client.query(question))) as { rows: unknown[] } | { rows: unknown[] }[]
      return (Array.isArray(answer) ? answer.at(-1)?.rows : answer.rows) ?? []
    },
  }
}
