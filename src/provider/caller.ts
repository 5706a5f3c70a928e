/** What health depends on in a call. */
export interface Caller {
  model?: string | undefined
  /** Of an MCP server. */
  tool?: string | undefined
  /** As given; only its hash is kept. */
  credential?: string | undefined
  /** What is left of the call's time, in milliseconds. */
  readonly remainingMs?: number | undefined
  /** The tries that it has left, this one included. */
  readonly triesLeft?: number | undefined
}
