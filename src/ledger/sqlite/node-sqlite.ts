import type { DatabaseSync as Database } from 'node:sqlite'

// Not imported by its name: on a Node without it that would fail before this package can say which Node it needs.

export type DatabaseSync = Database
export const DatabaseSync = process.getBuiltinModule('node:sqlite').DatabaseSync
