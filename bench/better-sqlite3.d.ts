// The package has no types of its own; this is what plainjob's adapter takes.
declare module 'better-sqlite3' {
  import type { Connection } from 'plainjob'

  const Database: new (file: string) => Parameters<typeof import('plainjob').better>[0]
  export default Database
  export type Database = Connection
  export type Transaction<F> = F
}
