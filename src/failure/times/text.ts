import { DURATION_SOURCE, parseDuration } from './duration.ts'
import { type Clock, parseMoment } from './moment.ts'
import { readResetNumber, type Stated } from './stated.ts'

const LENGTH = `(${DURATION_SOURCE})`

/** Sentences that state a length. A tool's own "retrying in 4 s" is not the provider's word. */
const LENGTHS = [
  new RegExp(
    String.raw`\b(?<!will )(?:try again|retry|try your request again|come back)(?: (?:your|the|this) (?:request|message))?(?: again)? (?:in|after):? {1,2}${LENGTH}`,
    'i',
  ),
  new RegExp(String.raw`\breset(?:s|ting)?(?: again)? (?:in|after) {1,2}${LENGTH}`, 'i'),
  new RegExp(
    String.raw`\b(?:please wait|must wait|wait|need to wait|you can wait)(?: for)?(?: at least| another)? ${LENGTH}`,
    'i',
  ),
  new RegExp(String.raw`\b(?:available|usable|access)(?: again)? in ${LENGTH}`, 'i'),
  new RegExp(
    String.raw`\bretry[-_ ]?after(?:[-_ ]?(?:seconds|secs))?\\?["']?\s?[:=]?\s?\\?["']?${LENGTH}`,
    'i',
  ),
  new RegExp(String.raw`\b(?:timed out|blocked|banned|locked out|suspended) for ${LENGTH}`, 'i'),
  new RegExp(String.raw`\b(?:only|again) (?:\w+ ){0,3}(?:in|after) ${LENGTH}`, 'i'),
  new RegExp(String.raw`\b(?:replenished|renewed|restored|refreshed|lifted) in ${LENGTH}`, 'i'),
  new RegExp(String.raw`\bretry_?delay\\?["']?\s?[:=]\s?\\?["']?${LENGTH}`, 'i'),
]

const CHINESE_UNITS: Record<string, number> = { 秒: 1_000, 分钟: 60_000, 小时: 3_600_000 }
const MILLISECONDS = /\bretry[-_ ]?after[-_ ]?ms\\?["']?\s?[:=]\s?\\?["']?(\d{1,9})\b/i
const DATE =
  /\bretry[-_ ]?after\\?["']?\s?[:=]\s?\\?["']?([A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)/i
const CLOCK_LENGTH = /\b(?:in|after) (\d{1,3}):(\d\d):(\d\d)\b(?!\s?[ap]m)/i

const BARE_SECONDS =
  /\bretry[-_ ]?after(?:[-_ ]?(?:seconds|secs))?\\?["']?\s?[:=]?\s?\\?["']?(\d{1,7}(?:\.\d{1,3})?)(?![\w.:-]|\s?(?:attempt|retries|times|tries))/i

/** The words before a point in time. */
const MOMENT =
  /\b(?:reset(?:s|ting)?(?: time)?(?: is)?|renews?|resumes?|try again|available again|back|access(?: again)?|regain access|(?:cycle|period|window) (?:ends|resets)|until|lifted|refresh(?:es)?)(?: at| on| by| is| after)?:? {1,2}([^\n]{4,80})/gi

const EPOCH = /\b(?:limit reached\||banned until |blocked until |resets? at )(\d{10}(?:\d{3})?)\b/i

/** The wait that a text states, if it does. */
export function waitFromText(text: string, now: number | undefined, clock: Clock): Stated | undefined {
  if (
    !/retry|again|reset|wait|avail|access|until|renew|resume|refresh|limit|back|after|replenish|timed out|[后]/i.test(
      text,
    )
  )
    return undefined
  const flat = text.replaceAll(/\s*\n\s*/g, ' ').replaceAll(/[·•]/g, ' ')
  const epoch = EPOCH.exec(flat)?.[1]
  if (epoch) return readResetNumber(Number(epoch))
  const date = DATE.exec(flat)?.[1]
  if (date) return { at: Date.parse(date) }
  const length = lengthIn(flat)
  if (length !== undefined) return { ms: length }
  const at = now === undefined ? undefined : momentIn(flat, now, clock)
  return at === undefined ? undefined : { at }
}

function lengthIn(text: string): number | undefined {
  for (const pattern of LENGTHS) {
    const ms = parseDuration(pattern.exec(text)?.[1] ?? '')
    if (ms !== undefined) return ms
  }
  if (/\b(?:try again|reset|retry) in under a minute\b/i.test(text)) return 60_000
  const chinese = /(\d{1,6}) ?(秒|分钟|小时)(?:钟)?(?:后|之后)/.exec(text)
  if (chinese) return Number(chinese[1]) * (CHINESE_UNITS[chinese[2] as string] as number)
  const ms = MILLISECONDS.exec(text)?.[1]
  if (ms !== undefined) return Number(ms)
  const clock = CLOCK_LENGTH.exec(text)
  if (clock) return (Number(clock[1]) * 3_600 + Number(clock[2]) * 60 + Number(clock[3])) * 1_000
  const bare = BARE_SECONDS.exec(text)?.[1]
  return bare === undefined ? undefined : Number(bare) * 1_000
}

function momentIn(text: string, now: number, clock: Clock): number | undefined {
  let left = 8
  for (const [, rest] of text.matchAll(MOMENT)) {
    if (left-- === 0) return undefined
    const at = parseMoment(rest as string, now, clock)
    if (at !== undefined) return at
  }
  return undefined
}
