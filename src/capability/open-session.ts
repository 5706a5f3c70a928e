import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { z } from 'zod'
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

/** More than a person types into a session in the hours of a limit. */
const MOST_BYTES = 1_048_576

function textSince(file: string, from: number): string {
  try {
    const size = statSync(file).size
    if (size <= from) return ''
    const open = openSync(file, 'r')
    return cleaningUp(
      () => {
        const bytes = Buffer.alloc(Math.min(size - from, MOST_BYTES))
        readSync(open, bytes, 0, bytes.length, from)
        return bytes.toString('utf8')
      },
      () => closeSync(open),
    )
  } catch {
    // A record that is gone says nothing.
    return ''
  }
}

/** A row that a person wrote. Clients add rows of their own after a failed turn. */
function isQuestion(line: string): boolean {
  try {
    const { type, isMeta } = JSON.parse(line) as { type?: unknown; isMeta?: unknown }
    return type === 'user' && isMeta !== true
  } catch {
    return false
  }
}
