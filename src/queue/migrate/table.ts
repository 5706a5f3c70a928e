/** A row, by the names of its columns. */
export type Row = Record<string, string | number | null>

/** A table that both databases have. */
export interface Table {
  name: string
  /** Columns that its rows are ordered and found by. */
  key: readonly string[]
}

/**
 * What is moved, in this order. Runners are not: they say again that they are there. The index of words and the jumps of the
 * clock are made anew from what was moved.
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

/** Under this name a target says that it is being filled, and from where. */
export const MARK = 'migration'

/** One side of a migration. */
export interface Side {
  /** Where it is, for people. */
  place: string
  /** Rows behind a key, in the order of their keys; the mark is not among them. */
  read(table: Table, after: readonly (string | number)[] | undefined, limit: number): Promise<Row[]>
  /** The largest key that is there; undefined without any, or where keys of two databases are ordered differently. */
  last(table: Table): Promise<number | undefined>
  /** Writes rows; those that are there already stay. */
  write(table: Table, rows: readonly Row[]): Promise<void>
  /** Puts right what follows from the rows: numbers to come, the index of words, jobs. */
  finish(): Promise<void>
  /** What it breaks of its promises. */
  check(): Promise<readonly string[]>
  /** Under {@link MARK}; undefined for none. */
  mark(): Promise<string | undefined>
  setMark(from: string | undefined): Promise<void>
  close(): Promise<void>
}

/** `$1`-like or `?`-like condition that a row lies behind a key. */
export function behind(key: readonly string[], marks: readonly string[]): string {
  return `(${key.join(', ')}) > (${marks.join(', ')})`
}
