/** A promise about rows, and how to find those that break it. */
export interface Promised {
  rule: string
  /** The schema version that added its tables. Default the first. */
  since?: number
  /** Finds rows that break it: `id` of the operation or row, and `more` about it. */
  sql: string
  says: (row: { id: number; more: unknown }) => string
}
