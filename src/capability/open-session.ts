import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { z } from 'zod'
import { CONTINUE_PROMPT } from '../agent/resume.ts'
import { MEANING, type MeaningfulError, type OwnMeaning } from '../failure/own-error.ts'
import { startOfProcess } from '../process/stragglers.ts'
import { cleaningUp } from '../time/clean-up.ts'

/** Where a session was open when a limit ended its turn, as the hook of its client saw it. */
export const openSession = z.strictObject({
  /** The client's process, and when it started: pids are given out again. */
  pid: z.number().int().positive().optional(),
  started: z.string().optional(),
  /** The client's record of the session, and how long it was. */
  transcript: z.string().optional(),
  bytes: z.number().int().nonnegative().optional(),
})

export type OpenSession = z.infer<typeof openSession>

/** The session is still open in its client, so nobody else may write to it. */
export class SessionOpen extends Error implements MeaningfulError {
  override readonly name = 'SessionOpen'
  readonly code = 'SESSION_OPEN'

  constructor(pid: number) {
    super(`the session is still open in process ${pid}; it is continued once that has ended`)
  }

  get [MEANING](): OwnMeaning {
    return { class: 'transient', kind: 'lock', effect: 'none' }
  }
}

/** What is known now of the client's process and its record. */
export function openSessionOf(pid: number | undefined, transcript: string | undefined): OpenSession {
  const started = pid === undefined ? undefined : startOfProcess(pid)
  const bytes = transcript === undefined ? undefined : statSync(transcript, { throwIfNoEntry: false })?.size
  return {
    ...(pid === undefined || started === undefined ? {} : { pid, started }),
    ...(transcript === undefined || bytes === undefined ? {} : { transcript, bytes }),
  }
}

/** True while the client that had the session still runs. */
export function isStillOpen({ pid, started }: OpenSession): boolean {
  return pid !== undefined && startOfProcess(pid) === started
}

/** True if a person went on in the session since: its record has a later question. */
export function wentOn({ transcript, bytes }: OpenSession): boolean {
  if (transcript === undefined || bytes === undefined) return false
  return textSince(transcript, bytes).split('\n').some(isQuestion)
}

/** More than follows the last question of a person. A try of ours may have written much before it. */
const MOST_BYTES = 16_777_216

function textSince(file: string, from: number): string {
  try {
    const size = statSync(file).size
    if (size <= from) return ''
    const open = openSync(file, 'r')
    return cleaningUp(
      () => {
        const bytes = Buffer.alloc(Math.min(size - from, MOST_BYTES))
        readSync(open, bytes, 0, bytes.length, size - bytes.length)
        return bytes.toString('utf8')
      },
      () => closeSync(open),
    )
  } catch {
    // A record that is gone says nothing.
    return ''
  }
}

/** A row of a session's record, as far as it says who wrote it. */
interface Row {
  type?: unknown
  isMeta?: unknown
  isSidechain?: unknown
  isCompactSummary?: unknown
  message?: string | { content?: unknown; parts?: unknown }
}

/** A row that a person wrote. Clients and our own tries add rows under the same name. */
function isQuestion(line: string): boolean {
  try {
    const row = JSON.parse(line) as Row
    if (row.type !== 'user' || row.isMeta === true || row.isSidechain === true) return false
    if (row.isCompactSummary === true) return false
    const { message } = row
    const said = typeof message === 'string' ? message : (message?.content ?? message?.parts)
    const parts: unknown[] = Array.isArray(said) ? said : [said]
    return parts.some(isSaid)
  } catch {
    return false
  }
}

/** Commands of Claude Code that ask the model nothing; what a person types to leave a session, or to look at its limits. */
const ASKS_NOTHING =
  /^<command-name>\/(?:exit|quit|usage|cost|stats|status|context|model|config|help|login|rate-limit-options)</
/** What the client writes in the name of its user. */
const BY_CLIENT = /^(?:\[Request interrupted by user|<local-command-)/

function isSaid(part: unknown): boolean {
  const { type, text = part } = (part ?? {}) as { type?: unknown; text?: unknown }
  if (type === 'tool_result') return false
  if (typeof text !== 'string') return true
  const words = text.trim()
  return words !== CONTINUE_PROMPT && !ASKS_NOTHING.test(words) && !BY_CLIENT.test(words)
}
