import { DURATION_SOURCE, parseDuration } from './duration.ts'
import { parseMoment } from './moment.ts'
import type { Stated } from './stated.ts'

const LENGTH = `(${DURATION_SOURCE})`

/** Sentences that state a length. A tool's own "retrying in 4 s" is not the provider's word. */
const LENGTHS = [
  new RegExp(String.raw`\b(?<!will )(?:try again|retry|try your request again|come back)(?: (?:your|the|this) (?:request|message))?(?: again)? (?:in|after):? {1,2}${LENGTH}`, 'i'),
  new RegExp(String.raw`\breset(?:s|ting)?(?: again)? (?:in|after) {1,2}${LENGTH}`, 'i'),
  new RegExp(String.raw`\b(?:please wait|must wait|wait|need to wait|you can wait)(?: for)?(?: at least| another)? ${LENGTH}`, 'i'),
  new RegExp(String.raw`\b(?:available|usable|access)(?: again)? in ${LENGTH}`, 'i'),
  new RegExp(String.raw`\bretry[-_ ]?after(?:[-_ ]?(?:seconds|secs))?\\?["']?\s?[:=]?\s?\\?["']?${LENGTH}`, 'i'),
  new RegExp(String.raw`\bretry_?delay\\?["']?\s?[:=]\s?\\?["']?${LENGTH}`, 'i'),
]

const BARE_SECONDS = /\bretry[-_ ]?after(?:[-_ ]?(?:seconds|secs))?\\?["']?\s?[:=]?\s?\\?["']?(\d{1,7}(?:\.\d{1,3})?)(?![\w.:-]|\s?(?:attempt|retries|times|tries))/i

/** The words before a point in time. */
const MOMENT =
  /\b(?:reset(?:s|ting)?(?: time)?(?: is)?|renews?|resumes?|try again|available again|back|access(?: again)?|regain access|(?:cycle|period|window) (?:ends|resets)|until|lifted|refresh(?:es)?)(?: at| on| by| is)?:? {1,2}([^\n]{4,80})/gi

const EPOCH = /\blimit reached\|(\d{10})\b/

/** The wait that a text states, if it does. */
export function waitFromText(text: string, now: number | undefined, timeZone: string | undefined): Stated | undefined {
  if (!/retry|again|reset|wait|avail|access|until|renew|resume|refresh|limit|back/i.test(text)) return undefined
  const flat = text.replaceAll(/\s*\n\s*/g, ' ').replaceAll(/[·•]/g, ' ')
  const epoch = EPOCH.exec(flat)?.[1]
  if (epoch) return { at: Number(epoch) * 1_000 }
  const length = lengthIn(flat)
  if (length !== undefined) return { ms: length }
  const at = now === undefined ? undefined : momentIn(flat, now, timeZone)
  return at === undefined ? undefined : { at }
}

function lengthIn(text: string): number | undefined {
  for (const pattern of LENGTHS) {
    const ms = parseDuration(pattern.exec(text)?.[1] ?? '')
    if (ms !== undefined) return ms
  }
  if (/\b(?:try again|reset|retry) in under a minute\b/i.test(text)) return 60_000
  const bare = BARE_SECONDS.exec(text)?.[1]
  return bare === undefined ? undefined : Number(bare) * 1_000
}

function momentIn(text: string, now: number, timeZone: string | undefined): number | undefined {
  let left = 8
  for (const [, rest] of text.matchAll(MOMENT)) {
    if (left-- === 0) return undefined
    const at = parseMoment(rest as string, now, timeZone)
    if (at !== undefined) return at
  }
  return undefined
}
