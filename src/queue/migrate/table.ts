/** A row, by the names of its columns. */
export type Row = Record<string, string | number | null>

/** A table that both databases have. */
export interface Table {
  name: string
  /** Columns that order and identify its rows. */
  key: readonly string[]
}

/**
 * The tables to move, in this order. Not runners: they register again. The text index and the clock jumps are rebuilt from what
 * was moved.
 */
export const TABLES: readonly Table[] = [
  { name: 'operations', key: ['id'] },
  { name: 'operation_providers', key: ['provider', 'operation'] },
  { name: 'keys', key: ['capability', 'key'] },
  { name: 'attempts', key: ['id'] },
  { name: 'events', key: ['id'] },
  { name: 'remembered_steps', key: ['operation', 'step'] },
  { name: 'cursors', key: ['consumer'] },
  { name: 'settings', key: ['name'] },
  { name: 'attendance', key: ['capability', 'from_at'] },
  { name: 'provider_state', key: ['key'] },
  { name: 'provider_spend', key: ['scope', 'at'] },
  { name: 'bill', key: ['at', 'client', 'session', 'provider', 'model'] },
  { name: 'provider_gates', key: ['provider'] },
  { name: 'pauses', key: ['kind', 'name'] },
  { name: 'unknowns', key: ['id'] },
  { name: 'labels', key: ['id'] },
  { name: 'notices', key: ['id'] },
  { name: 'deliveries', key: ['id'] },
  { name: 'workflow_plans', key: ['id'] },
  { name: 'workflow_runs', key: ['id'] },
  { name: 'workflow_steps', key: ['id'] },
  { name: 'workflow_actions', key: ['id'] },
]

/** Setting of a target that is being filled; its value says from where. */
export const MARK = 'migration'
/** Setting of a source that was moved; its value says where to. A process that kept using it would run everything twice. */
export const MOVED = 'moved'

/** One side of a migration. */
export interface Side {
  /** Where it is, for people. */
  place: string
  /** Locks out other writers until it is closed. Refused while another process uses it. */
  freeze(): Promise<void>
  /** Records where it was moved to, and lets others write again. */
  setMoved(to: string): Promise<void>
  /** Rows after a key, in the order of their keys, without the marks. */
  read(table: Table, after: readonly (string | number)[] | undefined, limit: number): Promise<Row[]>
  /** The largest existing key; undefined without rows, or if the two databases order the keys differently. */
  last(table: Table): Promise<number | undefined>
  /** Writes rows; existing ones stay. */
  write(table: Table, rows: readonly Row[]): Promise<void>
  /** Rebuilds what follows from the rows: number sequences, text index, jobs. */
  finish(): Promise<void>
  /** Which invariants it breaks. */
  check(): Promise<readonly string[]>
  /** The value of {@link MARK}; undefined if not set. */
  mark(): Promise<string | undefined>
  setMark(from: string | undefined): Promise<void>
  close(): Promise<void>
}

/** SQL condition, with `$1` or `?` marks, that a row comes after a key. */
export function behind(key: readonly string[], marks: readonly string[]): string {
  return `(${key.join(', ')}) > (${marks.join(', ')})`
}
