import { matchesOf } from '../text/matches.ts'
import { anyOf, mayContain, type Prefilter, prefilterOf } from '../text/prefilter.ts'
import { lengthAbroad } from './abroad.ts'
import {
  DURATION_SOURCE,
  PRINTED_SOURCE,
  parseCjkDuration,
  parseDuration,
  parsePrinted,
  UNIT_SOURCE,
} from './duration.ts'
import { type Clock, parseMoment } from './moment.ts'
import { readResetNumber, type Stated } from './stated.ts'

/** A duration at a given place. Apart from the words before it: it is large, and with each of them would be compiled again. */
const DURATION = new RegExp(DURATION_SOURCE, 'iy')

/** Words before a duration. A tool's own "retrying in 4 s" does not count as the provider's word. */
const LENGTHS = [
  {
    needs: anyOf('try again', 'retry', 'try your', 'come back'),
    form: lengthAfter(
      String.raw`\b(?<!will )(?:try again|retry|try your request again|come back)(?: (?:your|the|this) (?:request|message))?(?: again)? (?:in|after):? {1,2}`,
    ),
  },
  {
    needs: anyOf('reset', 'renew', 'refresh', 'replenish'),
    form: lengthAfter(
      String.raw`\b(?:reset|renew|refresh|replenish)(?:s|es|ting)?(?: again)? (?:in|after) {1,2}`,
    ),
  },
  {
    needs: anyOf('essaye', 'versuchen', 'intent', 'intént', 'tente'),
    form: lengthAfter(
      String.raw`\b(?:r[ée]essaye[zr]?|versuchen sie es|int[ée]nt\w+|tente\w*)\b[^\n.]{0,30}? (?:dans|in|en|em) `,
    ),
  },
  {
    needs: anyOf(
      'dans ',
      'minuten',
      'minuto',
      'minuti',
      'minutach',
      'secondi',
      'segundo',
      'sekund',
      'stunde',
      'hora',
      ' ore',
      'tagen',
      'через',
      'godzin',
    ),
    form: lengthAfter(
      String.raw`(?:\bdans|\bin(?=[^\n]{1,12} (?:Sekunden?|Minuten?|Stunden?|Tagen?)\b)|\be[nm](?=[^\n]{1,12} (?:segundos?|minutos?|horas?|d[ií]as?)\b)|\b(?:tra|fra|za|po|attend(?:ere|i|a)|esper[ae]|aguarde)|через) `,
    ),
  },
  {
    needs: anyOf('wait', 'break', 'hold off', 'pause'),
    form: lengthAfter(String.raw`\b(?:wait|take a break|hold off|pause)(?: for)?(?: at least| another)? `),
  },
  {
    needs: anyOf('available', 'usable', 'access'),
    form: lengthAfter(String.raw`\b(?:available|usable|access)(?: again)? in `),
  },
  {
    needs: anyOf('retry'),
    form: lengthAfter(String.raw`\bretry[-_ ]?after(?:[-_ ]?(?:seconds|secs))?\\?["']?\s?[:=]?\s?\\?["']?`),
  },
  { needs: anyOf('(in 0'), form: lengthAfter(String.raw`\((?:in|after) `) },
  { needs: anyOf('wait of '), form: lengthAfter(String.raw`\bwait of `) },
  { needs: anyOf('try after '), form: lengthAfter(String.raw`\btry after `) },
  {
    needs: anyOf('timed out', 'blocked', 'banned', 'locked out', 'suspended'),
    form: lengthAfter(String.raw`\b(?:timed out|blocked|banned|locked out|suspended) for `),
  },
  {
    needs: anyOf('you can', 'you may', 'wait'),
    form: lengthAfter(
      String.raw`\byou (?:can|may) (?:re)?(?:submit|send|make|try)[^\n.]{0,40}? (?:in|after) `,
    ),
  },
  {
    needs: anyOf('only ', 'again '),
    form: lengthAfter(String.raw`\b(?:only|again) (?:\w+ ){0,3}(?:in|after) `),
  },
  {
    needs: anyOf('ed in '),
    form: lengthAfter(String.raw`\b(?:replenished|renewed|restored|refreshed|lifted) in `),
  },
  {
    needs: anyOf('delay'),
    form: lengthAfter(String.raw`\bretry_?delay\\?["']?\s?[:=]\s?\\?["']?`),
  },
]

function lengthAfter(words: string): RegExp {
  // Behind a gap, only the whole duration shows where the gap ends.
  const start = /\{0,\d/.test(words) ? DURATION_SOURCE : '[\\d~½¼¾aho]'
  return new RegExp(`${words}(?=${start})`, 'gi')
}

/** The first duration behind such words, and where it ends. */
function durationAfter(words: RegExp, text: string): { length: string; end: number } | undefined {
  words.lastIndex = 0
  for (let before = words.exec(text); before; before = words.exec(text)) {
    DURATION.lastIndex = words.lastIndex
    const length = DURATION.exec(text)?.[0]
    if (length !== undefined) return { length, end: DURATION.lastIndex }
    words.lastIndex = before.index + 1
  }
  return undefined
}

const MILLISECONDS = /\bretry[-_ ]?after[-_ ]?ms\\?["']?\s?[:=]\s?\\?["']?(\d{1,9})\b/i
const DATE =
  /\bretry[-_ ]?after\\?["']?\s?[:=]\s?\\?["']?([A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)/i
/** "in 22.14:18:12", "after 00:04:12", "in 1 day, 2:03:04", "after PT1H30M": durations as programs print them. */
const PRINTED_LENGTH = new RegExp(
  String.raw`(?:\b(?:in|after|for)|retry[-_ ]?after["']?\s?[:=])\s{1,2}["']?(${PRINTED_SOURCE})(?![\w:]|\s?[ap]m\b)`,
  'i',
)

const BARE_SECONDS =
  /\b(?:retry[-_ ]?after(?:[-_ ]?(?:seconds|secs))?|suspended_time|flood_(?:premium_)?wait_|(?:backoff|wait|cooldown)_seconds|retry_delay \{ seconds)\\?["']?\s?[:=]?\s?\\?["']?(\d{1,7}(?:\.\d{1,3})?)(?![\w.:-]|\s?(?:attempt|retries|times|tries))/i

/** The words before a point in time. */
const MOMENT =
  /\b(?:reset(?:s|ting)?(?: time)?(?: is)?|renews?|resumes?|try again|available(?: again)?|back|access(?: again)?|regain access|(?:cycle|period|window) (?:ends|resets)|until|lifted|refresh(?:es)?|retry|works? again)(?: at| on| by| is| after)?:? {1,2}(?=([^\n]{2,80}))/gi

/** "将于 2026-04-01 00:00 (UTC+8) 刷新": how Chinese vendors state a date. */
const CHINESE_MOMENT = /(?:将于|将在|于|请在)\s?([^\n]{4,60}?)\s?(?:刷新|重置|恢复|后重试|之后)/

const EPOCH = /\b(?:limit reached\||banned until |blocked until |resets? at )(\d{10}(?:\d{3})?)\b/i

/** Letters and units that only other languages have. */
const LETTERS_ABROAD = /[\u00c0-\u1fff]/i
const UNITS_ABROAD =
  /saniye|dakika|detik|menit|minit|sekund|minut|segons|hores|seconden|secunde|segundo|perc |saat|sata|dagen| uur/i

const HINT =
  /dans |через|후|뒤|inuten|tunden|ekunden|retry|again|reset|wait|avail|access|until|renew|resume|refresh|limit|back|after|replenish|timed out|[后後于在]|ssay|versuch|int[ée]nt|segundo|secondi|\b(?:ore|horas?)\b|sekund|minut|godzin|suspended/i

/** The wait that a text states, if any. */
export function waitFromText(text: string, now: number | undefined, clock: Clock): Stated | undefined {
  if (!mayState(text)) return undefined
  const whole = unwrapped(text)
  return fromLines(whole, now, clock) ?? fromLine(flatten(whole), now, clock)
}

/** A line that ends inside a duration or before its point in time: "in 2 hours 11⏎minutes", "resets at⏎3pm". */
const WRAP = new RegExp(
  String.raw`((?:\d|\b(?:in|after|at|on|until|and|again|resets?|hours?|hrs?|h|days?|d|weeks?|minutes?|mins?|m)),?)[ \t]*\n[ \t]*(?=\d|(?:${UNIT_SOURCE})\b|[ap]\.?m\b)`,
  'gi',
)

/** Joins lines that a terminal wrapped. Half a duration would be too early, which is worse than none. */
function unwrapped(text: string): string {
  return text.includes('\n') ? text.replaceAll(WRAP, '$1 ') : text
}

/** Every statement of a time contains a digit or one of these. */
const TIME_WORDS = /an? (?:hour|minute|day|second)|one |midnight|day\b|tomorrow/i
const MOST_LINES = 64

/** False for a text that cannot state when to come back. */
function mayState(text: string): boolean {
  return (/\d/.test(text) || TIME_WORDS.test(text)) && (HINT.test(text) || isAbroad(text))
}

function isAbroad(text: string): boolean {
  return LETTERS_ABROAD.test(text) || UNITS_ABROAD.test(text)
}

/** If several tries are on separate lines, the last one counts. */
function fromLines(text: string, now: number | undefined, clock: Clock): Stated | undefined {
  if (!text.includes('\n')) return undefined
  for (const line of text.split('\n').slice(-MOST_LINES).reverse()) {
    const stated = mayState(line) ? fromLine(flatten(line), now, clock) : undefined
    if (stated) return stated
  }
  return undefined
}

function fromLine(flat: string, now: number | undefined, clock: Clock): Stated | undefined {
  const epoch = EPOCH.exec(flat)?.[1]
  if (epoch) return readResetNumber(Number(epoch))
  const date = DATE.exec(flat)?.[1]
  if (date) return { at: Date.parse(date) }
  const length = lengthIn(flat)
  // A truncated or contradicted duration does not count, and nothing else in the line can replace it.
  if (Number.isNaN(length)) return undefined
  if (length !== undefined) return { ms: length }
  const at = now === undefined ? undefined : momentIn(flat, now, clock)
  return at === undefined ? undefined : { at }
}

/** Puts a text on one line, with single spaces at its breaks. */
function flatten(text: string): string {
  const line = text.includes('\n')
    ? text
        .split('\n')
        .map(part => part.trim())
        .join(' ')
    : text
  const bare = /['"]\d+['"]/.test(line) ? line.replaceAll(/['"](\d+)['"]/g, '$1') : line
  return /[·•]/.test(bare) ? bare.replaceAll(/[·•]/g, ' ') : bare
}

function lengthIn(text: string): number | undefined {
  const printed = /\d:\d\d:\d\d|P(?:T?\d)/.test(text) ? PRINTED_LENGTH.exec(text)?.[1] : undefined
  if (printed !== undefined) return parsePrinted(printed)
  const ms = lengthInWords(text, prefilterOf(text))
  if (ms !== undefined) return ms
  if (/\b(?:try again|reset|retry) in under a minute\b/i.test(text)) return 60_000
  const cjk = parseCjkDuration(text) ?? (isAbroad(text) ? lengthAbroad(text) : undefined)
  if (cjk !== undefined) return cjk
  if (!/\d/.test(text)) return undefined
  const milliseconds = MILLISECONDS.exec(text)?.[1]
  if (milliseconds !== undefined) return Number(milliseconds)
  const bare = BARE_SECONDS.exec(text)?.[1]
  return bare === undefined ? undefined : Number(bare) * 1_000
}

function lengthInWords(text: string, prefilter: Prefilter): number | undefined {
  for (const { needs, form } of LENGTHS) {
    const found = mayContain(prefilter, needs) ? durationAfter(form, text) : undefined
    if (!found) continue
    const ms = parseDuration(found.length)
    if (ms !== undefined) return isWhole(text.slice(found.end), form, ms) ? ms : Number.NaN
  }
  return undefined
}

const CUT = /^,?(?: and)? ?(?:\d[\d.,]*)? ?(?:…|\.{3}|$)/

/** False for a duration that breaks off before its last unit, or that the same words contradict further on. */
function isWhole(rest: string, form: RegExp, ms: number): boolean {
  if (CUT.test(rest) && /^,?(?: and)? ?\d|^ ?(?:…|\.{3})\S/.test(rest)) return false
  const again = durationAfter(form, rest)?.length
  const other = again === undefined ? undefined : parseDuration(again)
  return other === undefined || Math.abs(other - ms) <= Math.max(1_000, ms / 10)
}

function momentIn(text: string, now: number, clock: Clock): number | undefined {
  const chinese = CHINESE_MOMENT.exec(text)?.[1]
  if (chinese) return parseMoment(chinese, now, clock)
  let left = 8
  for (const [, rest] of matchesOf(MOMENT, text)) {
    if (left-- === 0) return undefined
    const at = parseMoment(rest as string, now, clock)
    if (at !== undefined) return at
  }
  return undefined
}
