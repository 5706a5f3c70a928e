/** Where Mulligan is in a client, and what is wrong there. */
export interface Found {
  client: string
  /** The project, the user's settings, a server that was added by itself, or what holds a base URL. */
  where: string
  problems: readonly string[]
}
