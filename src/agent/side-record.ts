import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { quietly } from '../time/clean-up.ts'
import { type Fields, objectIn } from './fields.ts'
import type { Environment } from './variables.ts'

/** How a model's answer ended: complete, at its maximum length, by a filter, or without any end. */
export type AnswerEnd = 'whole' | 'limit' | 'filtered' | 'unfinished'

/**
 * What a CLI writes besides its output: telemetry, or a session file. Read after the run to find out how the model's last answer
 * ended, if the output shows only its text.
 */
export interface SideRecord {
  /**
   * Variables that make the CLI write it to a private file, which is removed afterwards; undefined if the user has already set one
   * up, which is left alone. Default: the CLI keeps it anyway, and `path` says where.
   */
  ask?(file: string, at: { env: Environment; cwd: string }): Readonly<Record<string, string>> | undefined
  /** Where the CLI keeps it by default; undefined if there is none for this session. */
  path?(sessionId: string, env: Environment): string | undefined
  /** Matches every relevant entry; others are not parsed. */
  mark: RegExp
  /** What an entry says; undefined if it says nothing about an answer of the main conversation. */
  read(entry: Fields): RecordedEnd | undefined
}

export interface RecordedEnd {
  /** Undefined if a request begins or fails, so the previous answer was not the last. */
  end: AnswerEnd | undefined
  /** Epoch milliseconds, for a record that may contain earlier runs too. */
  atMs?: number | undefined
}

/** How many bytes to read from the end of a record: only the end matters, and a long run writes much. */
const MOST_BYTES = 8_388_608

/** How the last answer since a time ended, from the end of a record; undefined if it does not say. */
export function lastAnswerEnd(path: string, record: SideRecord, sinceMs: number): AnswerEnd | undefined {
  let last: AnswerEnd | undefined
  for (const text of entriesIn(endOf(path))) {
    if (!record.mark.test(text)) continue
    const said = record.read(parsed(text))
    if (said && (said.atMs ?? sinceMs) >= sinceMs) last = said.end
  }
  return last
}

/** Single-line entries, and JSON over several lines as telemetry writes it. */
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

/** Interprets a vendor's finish reason, in any spelling. */
export function answerEnd(reason: unknown): AnswerEnd {
  const word = typeof reason === 'string' ? reason.toLowerCase() : ''
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
    void quietly(() => closeSync(file))
  }
}

function parsed(text: string): Fields {
  try {
    return objectIn(JSON.parse(text))
  } catch {
    return {}
  }
}
