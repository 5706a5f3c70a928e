import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import type { Facilities } from '../../http/facilities.ts'
import type { Previews } from '../../http/previews.ts'
import type { AskingAgain } from '../asking-again.ts'

/** What an agent may do. All false: it runs capabilities and changes operations, but answers for nothing. */
export interface Rights {
  /** It can change nothing. */
  readOnly: boolean
  /** It may say what an unknown failure is; otherwise it proposes that to people. */
  allowLabel: boolean
  /** It counts as a person: it may have an operation run again that may have taken effect, and say what a failure is. */
  asPerson: boolean
}

/** What tools work with, for as long as the server lives. */
export interface ToolHost {
  facilities: Facilities
  /** Previews of bulk changes that can still be applied. */
  previews: Previews
  /** Whether this process runs capabilities; otherwise a runner elsewhere does. */
  runsHere: boolean
  /** Operations whose end a session has been told by the answer itself, the latest last. */
  answered: Told
  /** Tells agents when to look again. */
  askingAgain: AskingAgain
  /** Notices that an inbox has shown, so that it knows what is new. */
  shown: Told
}

/** Remembers what was told: operations whose end was answered, notices that were shown. */
export class Told {
  readonly #ids = new Set<string>()

  add(id: string): void {
    this.#ids.add(id)
    const [oldest] = this.#ids
    if (this.#ids.size > MOST_REMEMBERED && oldest !== undefined) this.#ids.delete(oldest)
  }

  has(id: string | undefined): boolean {
    return id !== undefined && this.#ids.has(id)
  }
}

const MOST_REMEMBERED = 1_000

/** The caller of a tool. */
export interface ToolCall {
  rights: Rights
  /** The session that operations belong to, and whose inbox it is. Undefined: nobody said who asks. */
  session: string | undefined
  /** The client in words, for people: `claude-code 2.1`. */
  client: string
  /** Aborted when the client cancels the call or goes away. */
  signal: AbortSignal
  /** Reports progress to the client, if the client asked for it. */
  progress: (message: string) => void
}

/** What a tool answers. */
export interface ToolAnswer {
  /** JSON, as the output schema has it. */
  json: Record<string, unknown>
  /** The call failed. Default false. */
  isError?: boolean
}

/** One tool: what it takes, gives and does. */
export interface McpTool<I extends z.ZodObject = z.ZodObject> {
  name: string
  title: string
  description: string
  annotations: ToolAnnotations
  input: I
  output: z.ZodObject
  run: (given: z.output<I>, call: ToolCall, host: ToolHost) => Promise<ToolAnswer>
}

/** Makes a tool; its function gets the types of its schema. */
export function tool<I extends z.ZodObject>(spec: McpTool<I>): McpTool {
  return spec as unknown as McpTool
}

/** The answer of a tool as it goes out: the same as text, for clients that read nothing else. */
export function toResult({ json, isError = false }: ToolAnswer): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(json) }],
    structuredContent: json,
    ...(isError ? { isError } : {}),
  }
}
