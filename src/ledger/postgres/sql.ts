import pg from 'pg'
import type { SqlClient } from '../ledger.ts'
import { isStalePlan, ofDriver } from './postgres-error.ts'

/** Queries a database: rows come as objects, numbers as numbers. */
export interface Sql {
  /** The rows of the answer. */
  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** The first row of the answer, if there is one. */
  row<Row>(text: string, values?: readonly unknown[]): Promise<Row | undefined>
  /** Returns how many rows were written. */
  run(text: string, values?: readonly unknown[]): Promise<number>
  /** Sends a statement without waiting: a failure is reported at the end of the transaction. */
  send(text: string, values: readonly unknown[]): void
  /** Waits for the answers to everything sent; throws the first error. */
  sent(): Promise<void>
  /** The whole answer to a statement of another library. */
  answer(text: string, values: readonly unknown[]): Promise<{ rows: unknown[]; rowCount: number | null }>
  /** Runs one or more statements without values, too rare for a cached plan. Returns the rows of the last. */
  exec(text: string): Promise<unknown[]>
}

/** Known statements and their names for the server, which plans each once per connection. */
const NAMES = new Map<string, string>()
/** Statements assembled from parts have too many variants to name them all. */
const MOST_NAMES = 500
let named = 0

function nameOf(text: string): string | undefined {
  const known = NAMES.get(text)
  if (known !== undefined || NAMES.size >= MOST_NAMES) return known
  return rename(text)
}

function rename(text: string): string {
  const name = `mulligan_${named++}`
  NAMES.set(text, name)
  return name
}

/** How statements run on a connection. */
export interface SqlOptions {
  /** Longest wait for an answer, in milliseconds. Default: the connection's. */
  answersWithinMs?: number
  /** Whether the server caches plans; only for our own connections. Default true. */
  keepsPlans?: boolean
}

/** PostgreSQL stores no NUL in a text; one in a key or a message is replaced. */
export function storable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(storable)
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}

/** Column types that the driver returns as text although all our values fit a number: bigint and numeric. */
const NUMBERS: ReadonlySet<number> = new Set([20, 1700])

const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    NUMBERS.has(oid) ? Number : pg.types.getTypeParser(oid, format as 'text'),
}

/** Runs statements on one connection, ours or the caller's. */
export function sqlOn(client: SqlClient, { answersWithinMs, keepsPlans = true }: SqlOptions = {}): Sql {
  const patience = answersWithinMs === undefined ? {} : { query_timeout: answersWithinMs }
  const askNamed = async (question: { text: string; values: unknown[]; types?: typeof types }) => {
    const name = keepsPlans ? nameOf(question.text) : undefined
    try {
      return await ofDriver(
        client.query({ ...(name === undefined ? {} : { name }), ...question, ...patience }),
      )
    } catch (error) {
      // Under another name every connection plans it again.
      if (isStalePlan(error) && NAMES.get(question.text) === name) rename(question.text)
      throw error
    }
  }
  const ask = (text: string, values: readonly unknown[]) =>
    askNamed({ text, values: values.map(storable), types })
  const sent: Promise<unknown>[] = []
  return {
    send: (text, values) => {
      const answer = ask(text, values)
      answer.catch(() => {})
      sent.push(answer)
    },
    sent: async () => void (await Promise.all(sent)),
    rows: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await ask(text, values)).rows as Row[],
    row: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await ask(text, values)).rows[0] as Row | undefined,
    run: async (text, values = []) => (await ask(text, values)).rowCount ?? 0,
    answer: (text, values) => askNamed({ text, values: [...values] }),
    exec: async text => {
      // Without values the driver sends the text unchanged, and returns an answer for each statement.
      const question = { text, types, ...patience }
      const answer = (await ofDriver(client.query(question))) as { rows: unknown[] } | { rows: unknown[] }[]
      return (Array.isArray(answer) ? answer.at(-1)?.rows : answer.rows) ?? []
    },
  }
}
