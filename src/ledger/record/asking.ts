import type { EventType } from '../event.ts'
import type { OperationRow } from '../row/operation-row.ts'

/** A value in a statement; a list stands for `= ANY($n::type[])`. */
export type AskedValue = string | number | null | readonly (string | number)[]

/** A change of an operation, and the event that tells it. */
export interface Change {
  at: number
  type: EventType
  data?: Record<string, unknown> | undefined
  /** Columns that change, as SQL: $1 is `at`, own values start at $7. `updated_at` and `last_event` always change. */
  set: string
  values?: readonly AskedValue[]
  /** Whether the change ends a run, and with it the lease. Default false. */
  endsRun?: boolean
  /** The lease of a run that the change begins, where leases are in the operation's row. */
  lease?: Lease | undefined
}

/** The runner that gets a run, and for how long. */
export interface Lease {
  runner: string
  /** Milliseconds. */
  lengthMs: number
}

/** What a record needs from its database. */
export type Question =
  /** A statement in PostgreSQL's SQL, of which SQLite translates the few words that differ. `isOne`: the first row is enough. */
  | { text: string; values: readonly AskedValue[]; isOne?: boolean }
  /** Writes a change of an operation. Answered by the number of its event. */
  | { change: Change; of: Pick<OperationRow, 'id' | 'run' | 'last_event'> }
  /** Makes the text of a failed attempt searchable. */
  | { search: string; attempt: number }
  /** Reserves a number for an event that is written later in the same transaction. */
  | { number: true }
  /** Writes an event that belongs to no operation. Answered by its number. */
  | { tell: EventType; at: number; data: Record<string, unknown> }
  /** Lets no other transaction with this name continue before this one ends. A file has one writer at a time anyway. */
  | { alone: string }
  /** Makes a write that is no event known to processes that poll. */
  | { known: true }

/**
 * Reads and writes of a record, written once for both databases: each question is answered with its rows, at once by SQLite, and
 * after a while by PostgreSQL.
 */
export type Asking<T> = Generator<Question, T, readonly unknown[]>

/** The rows of the answer. */
export function* rows<Row>(text: string, ...values: readonly AskedValue[]): Asking<readonly Row[]> {
  return (yield { text, values }) as readonly Row[]
}

/** The first row of the answer, if there is one. */
export function* row<Row>(text: string, ...values: readonly AskedValue[]): Asking<Row | undefined> {
  return (yield { text, values, isOne: true })[0] as Row | undefined
}

/** Runs a statement with RETURNING. Returns how many rows it wrote. */
export function* written(text: string, ...values: readonly AskedValue[]): Asking<number> {
  return (yield { text, values }).length
}

/** The number that answers a question. */
export function* numberFrom(question: Question): Asking<number> {
  return (yield question)[0] as number
}
