/** Something that rows promise, and how to find those that break it. */
export interface Promised {
  rule: string
  /** The version of the schema that has its tables. Default the first. */
  since?: number
  /** Finds rows that break it: `id` of the operation or row, and `more` about it. */
  sql: string
  says: (row: { id: number; more: unknown }) => string
}
