import type { z } from 'zod'
import { PRIORITY_LIMIT } from '../../ledger/operation.ts'
import { LONGEST_KEY, type submission } from './submission-schema.ts'
import { instant, LONGEST_NAME } from './value-schemas.ts'

type Submitted = z.output<typeof submission>

/** Most operations in one request. */
export const LARGEST_BATCH = 1000

/**
 * A batch of plain submissions, as the schema reads it. Undefined if it has a mistake, which only the schema explains, or
 * a field that few submissions have. Checking a hundred entries by the schema takes a quarter as long as storing them.
 */
export function plainBatch(json: unknown): { operations: Submitted[] } | undefined {
  if (!isObject(json)) return undefined
  for (const name in json) if (name !== 'operations') return undefined
  const { operations: entries } = json
  if (!Array.isArray(entries) || entries.length === 0 || entries.length > LARGEST_BATCH) return undefined
  const operations: Submitted[] = []
  const times = new Times()
  for (const entry of entries) {
    const read = plainSubmission(entry, times)
    if (!read) return undefined
    operations.push(read)
  }
  return { operations }
}

function plainSubmission(entry: unknown, times: Times): Submitted | undefined {
  if (!isObject(entry)) return undefined
  const { capability, params, at, key, session, priority } = entry
  for (const name in entry) if (!PLAIN.has(name)) return undefined
  if (!isText(capability, LONGEST_NAME)) return undefined
  const read: Submitted = { capability }
  if (params !== undefined) {
    if (!isObject(params)) return undefined
    read.params = params
  }
  if (at !== undefined) {
    const time = times.of(at)
    if (time === undefined) return undefined
    read.at = time
  }
  if (key !== undefined) {
    if (!isText(key, LONGEST_KEY)) return undefined
    read.key = key
  }
  if (session !== undefined) {
    if (!isText(session, LONGEST_KEY)) return undefined
    read.session = session
  }
  if (priority !== undefined) {
    if (!Number.isSafeInteger(priority) || Math.abs(priority as number) > PRIORITY_LIMIT) return undefined
    read.priority = priority as number
  }
  return read
}

/** The fields that {@link plainSubmission} reads. */
const PLAIN: ReadonlySet<string> = new Set(['capability', 'params', 'at', 'key', 'session', 'priority'])

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= longest
}

/** Reads times. Most of a batch shares one. */
class Times {
  #text: unknown
  #time: number | undefined

  of(text: unknown): number | undefined {
    if (text !== this.#text) {
      this.#text = text
      this.#time = instant.safeParse(text).data
    }
    return this.#time
  }
}
