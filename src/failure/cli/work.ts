/** What one event says about the work: what the model said, and what its tools did. */
export interface Work {
  /**
   * What it proves: `tool`: a tool was used; `progress`: the model got further; `words`: it said something, and may still
   * fail as before; `start`: it only began to answer.
   */
  did?: 'tool' | 'progress' | 'words' | 'start'
  /** Names of the tools that begin here. Without them, a tool that was not announced before counts as one that acts. */
  tools?: readonly (string | undefined)[]
  /** What the model has said since the last tool. Replaces what was said before. */
  text?: string | undefined
  /** More of it. */
  moreText?: string | undefined
  /** The model that answers. */
  model?: string | undefined
  /** The answer as data. */
  structured?: unknown
  /** Tools that the model wanted but was not allowed to use. */
  deniedTools?: readonly string[]
}
