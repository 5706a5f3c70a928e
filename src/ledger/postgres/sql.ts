import type { Writable } from 'node:stream'
import pg from 'pg'
import type { SqlClient } from '../ledger.ts'
import { isStalePlan, ofDriver } from './postgres-error.ts'

/** Queries a database: rows come as objects, numbers as numbers. */
export interface Sql {
  /** The rows of the answer. */
  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** The first row of the answer, if there is one. */
  row<Row>(text: string, values?: readonly unknown[]): Promise<Row | undefined>
  /** The rows of the last statement of a transaction: its COMMIT travels with it. Nothing may be asked after it. */
  last<Row>(text: string, values: readonly unknown[]): Promise<Row[]>
  /** Returns how many rows were written. */
  run(text: string, values?: readonly unknown[]): Promise<number>
  /** Sends a statement without waiting: a failure is reported at the end of the transaction. */
  send(text: string, values: readonly unknown[]): void
  /** Waits for the answers to everything sent; throws the first error. */
  sent(): Promise<void>
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
  /** Sends what must come before the first statement. Both travel together. */
  opening?: () => void
  /** Sends what must come after the last statement, in the same packet. */
  closing?: () => void
}

/** PostgreSQL stores no NUL in a text; one in a key or a message is replaced. */
export function storable<T>(value: T): T | string {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}

const ESCAPED = /["\\]/g

/** A list as the server reads it. The driver escapes each number too: a fifteenth of all that a drained operation allocated. */
function listOf(values: readonly unknown[]): string {
  const items = values.map(value => {
    if (value === null || value === undefined) return 'NULL'
    return typeof value === 'string'
      ? `"${(storable(value) as string).replace(ESCAPED, '\\$&')}"`
      : `${value as number}`
  })
  return `{${items.join(',')}}`
}

function given(value: unknown): unknown {
  return Array.isArray(value) ? listOf(value) : storable(value)
}

/** Column types that the driver returns as text although all our values fit a number: bigint and numeric. */
const NUMBERS: ReadonlySet<number> = new Set([20, 1700])

const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    NUMBERS.has(oid) ? Number : pg.types.getTypeParser(oid, format as 'text'),
}

/** Sends several statements in one packet: each packet wakes the server, and costs both sides more than a small statement. */
function together<T>(client: SqlClient, send: () => T): T {
  const { stream } = (client as { connection?: { stream?: Partial<Pick<Writable, 'cork' | 'uncork'>> } })
    .connection ?? { stream: undefined }
  stream?.cork?.()
  try {
    return send()
  } finally {
    stream?.uncork?.()
  }
}

/** Runs statements on one connection, ours or the caller's. */
export function sqlOn(
  client: SqlClient,
  { answersWithinMs, keepsPlans = true, opening, closing }: SqlOptions = {},
): Sql {
  let isOpen = opening === undefined
  const query = (question: Parameters<SqlClient['query']>[0], isLast = false) => {
    if (isOpen && !isLast) return client.query(question)
    return together(client, () => {
      if (!isOpen) opening?.()
      isOpen = true
      const answer = client.query(question)
      if (isLast) closing?.()
      return answer
    })
  }
  const patience = answersWithinMs === undefined ? {} : { query_timeout: answersWithinMs }
  const ask = async (text: string, values: readonly unknown[], isLast = false) => {
    const name = keepsPlans ? nameOf(text) : undefined
    const question = {
      ...(name === undefined ? {} : { name }),
      text,
      values: values.map(given),
      types,
      ...patience,
    }
    try {
      return await ofDriver(query(question, isLast))
    } catch (error) {
      // Under another name every connection plans it again.
      if (isStalePlan(error) && NAMES.get(text) === name) rename(text)
      throw error
    }
  }
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
    last: async <Row>(text: string, values: readonly unknown[]) =>
      (await ask(text, values, true)).rows as Row[],
    row: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await ask(text, values)).rows[0] as Row | undefined,
    run: async (text, values = []) => (await ask(text, values)).rowCount ?? 0,
    exec: async text => {
      // Without values the driver sends the text unchanged, and returns an answer for each statement.
      const question = { text, types, ...patience }
      const answer = (await ofDriver(query(question))) as { rows: unknown[] } | { rows: unknown[] }[]
      return (Array.isArray(answer) ? answer.at(-1)?.rows : answer.rows) ?? []
    },
  }
}
