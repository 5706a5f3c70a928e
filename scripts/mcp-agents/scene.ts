import type { Agent } from './agents.ts'
import type { Script } from './scripted-model.ts'

/** Something that agents are put through: what they are given, and what their model does with it. */
export interface Scene {
  /** Name of the MCP server in the client. */
  server: string
  /** Tools of the server that the model calls. */
  tools: readonly string[]
  prompt: string
  /** What the model does; `own` is a call of a tool that the client has by itself. */
  script: (own: Agent['own']) => Script
  /** In what the agent says last, if it has the result. */
  result: string
  /** Writes the files that the server needs into the folder; gives the words after `mulligan`. */
  prepare: (folder: string) => string[]
  /** What the server saw, once the agent has ended, as lines to print. Default nothing. */
  seen?: (folder: string) => string[]
}

/** The wait that an answer of `mulligan_result` proposes, as a model would take it. */
export function proposedIn(answer: string): { wait_seconds?: number } {
  const wait = /wait_seconds\\*":(\d+)/.exec(answer)?.[1]
  return wait === undefined ? {} : { wait_seconds: Number(wait) }
}
