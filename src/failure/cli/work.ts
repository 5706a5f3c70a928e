/** What one event tells of the work: what the model said, and what its tools did. */
export interface Work {
  /**
   * What it proves: `tool` that a tool was used, `progress` that the model got on, `words` that it said something and
   * may yet fail as before, `start` only that it has begun to answer.
   */
  did?: 'tool' | 'progress' | 'words' | 'start'
  /** What the model has said since the last tool: replaces what was said before. */
  text?: string | undefined
  /** More of it. */
  moreText?: string | undefined
  /** The model that answers. */
  model?: string | undefined
  /** The answer as data. */
  structured?: unknown
  /** Tools that were wanted and not allowed. */
  deniedTools?: readonly string[]
}
