import type { ClientHome } from '../../../gateway/mcp/client/clients.ts'

/** A file that an installation writes: one of its own, or a change to one of the client's. */
export type Piece = { file: string } & ({ own: string } | Edit)

/** A part of a client's file. */
export interface Edit {
  part: string
  /** Adds it. */
  edit: (text: string) => string
  /** Removes it; the same text if it is not there, undefined if somebody changed it. */
  without: (text: string) => string | undefined
}

/** Where something is installed, and how its programs start Mulligan. */
export interface Site extends ClientHome {
  /** The project, if it is installed there; else for the user. */
  project: string | undefined
  /** Words that start Mulligan. */
  words: readonly string[]
  /** Whether a session that a limit stopped is continued when it lifts. */
  continues: boolean
  /** The proxy that the client is pointed at. */
  proxy: string | undefined
}
