import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { Environment } from './environment.ts'
import { type Fields, objectIn } from './fields.ts'

/** How an answer of a model ended: as it should, at its longest length, by a filter, or without a word about its end. */
export type AnswerEnd = 'whole' | 'limit' | 'filtered' | 'unfinished'

/**
 * What a CLI writes beside its output: telemetry, or the file of a session. It is read after the run for how the last
 * answer of the model ended, where the output shows only its text.
 */
export interface SideRecord {
  /**
   * Variables that have it written into a private file, which is removed afterwards; undefined if the user has set one
   * up already, which stays his. Default: the CLI keeps it anyway, and `path` says where.
   */
  ask?(file: string, at: { env: Environment; cwd: string }): Readonly<Record<string, string>> | undefined
  /** Where the CLI keeps it by itself; undefined if it has none of this session. */
  path?(sessionId: string, env: Environment): string | undefined
  /** Stands in every entry that matters: others are not parsed. */
  mark: RegExp
  /** What an entry says; undefined if nothing about an answer of the main conversation. */
  read(entry: Fields): RecordedEnd | undefined
}

export interface RecordedEnd {
  /** Undefined: a request begins or fails, and what was answered before was not the last. */
  end: AnswerEnd | undefined
  /** Epoch milliseconds, in a record that may hold earlier runs as well. */
  atMs?: number | undefined
}

/** Only the end of a record matters, and a long run writes much of it. */
const MOST_BYTES = 8_388_608

/** How the last answer ended since a time, by the end of a record; undefined if it does not say. */
export function lastAnswerEnd(path: string, record: SideRecord, sinceMs: number): AnswerEnd | undefined {
  let last: AnswerEnd | undefined
  for (const text of entriesIn(endOf(path))) {
    if (!record.mark.test(text)) continue
    const said = record.read(parsed(text))
    if (said && (said.atMs ?? sinceMs) >= sinceMs) last = said.end
  }
  return last
}

/** Entries of one line each, and JSON over several lines as telemetry is written. */
export function* entriesIn(text: string): Generator<string> {
  let begun: string[] | undefined
  for (const line of text.split('\n')) {
    if (begun !== undefined) {
      begun.push(line)
      if (line !== '}') continue
      yield begun.join('\n')
      begun = undefined
    } else if (line === '{') begun = [line]
    else if (line.startsWith('{')) yield line
  }
}

/** The words of vendors for the end of an answer, in the spelling of any of them. */
export function answerEnd(reason: unknown): AnswerEnd {
  const word = String(reason).toLowerCase()
  if (LIMIT.test(word)) return 'limit'
  return FILTERED.test(word) ? 'filtered' : 'whole'
}

const LIMIT = /^(?:length|max_(?:output_)?tokens|model_context_window_exceeded)$/
const FILTERED =
  /^(?:content_?filter(?:ed)?|filtered|refusal|(?:image_)?safety|prohibited_content|blocklist|spii|recitation)$/

export function endOf(path: string, most = MOST_BYTES): string {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return ''
  }
  try {
    const { size } = fstatSync(file)
    const bytes = Buffer.alloc(Math.min(size, most))
    const length = readSync(file, bytes, 0, bytes.length, Math.max(0, size - most))
    return bytes.toString('utf8', 0, length)
  } catch {
    return ''
  } finally {
    closeSync(file)
  }
}

function parsed(text: string): Fields {
  try {
    return objectIn(JSON.parse(text))
  } catch {
    return {}
  }
}
