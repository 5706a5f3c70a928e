import type { ClientHome } from '../../../gateway/mcp/client/clients.ts'

/** A file that an installation writes: one of its own, or a change to one of the client's. */
export type Piece = { file: string } & ({ own: string } | { edit: (text: string) => string })

/** Where something is installed, and how its programs start Mulligan. */
export interface Site extends ClientHome {
  /** The project, if it is installed there; else for the user. */
  project: string | undefined
  /** Words that start Mulligan. */
  words: readonly string[]
}
