/** Large results, kept in the ledger itself, where every host reads them. Deleted with their operation. */
export interface ResultStore {
  /** The largest result it keeps, in bytes of JSON. */
  readonly mostBytes: number
  /** Keeps the result of a run, in place of those of its earlier runs. Rejects if the operation no longer exists. */
  keep(operation: string, run: number, json: string): Promise<void>
  /** The JSON of a kept result; undefined if it is not kept here. */
  kept(operation: string, run: number): Promise<string | undefined>
}
