import { codeAt } from '../text/characters.ts'
import { AT, COLON, DIGIT, DOT, ESCAPE, marksIn, NOT_ASCII, QUOTE, SLASH } from '../text/marks.ts'

const LONGEST = 400

/**
 * What differs between two occurrences, and its placeholder. The order matters: a path may contain an id. A pattern runs
 * only if the text has one of the marks it `needs`.
 */
const VARIABLE = (
  [
    { needs: ESCAPE, form: /\x1b\[[0-9;]{0,32}m/g, place: ' ' },
    { needs: SLASH, form: /\b[a-z][a-z0-9+]{1,10}:\/\/[^\s"'<>)]{1,500}/g, place: ' url ' },
    {
      needs: AT,
      form: /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g,
      place: ' mail ',
    },
    // Paths that start with a root, a drive, a home or a dot; and relative paths that end in a file.
    {
      needs: SLASH,
      form: /(?<![\w/\\])(?:[a-z]:|~|\.{1,2})?(?:[/\\][\w.@+~-]{1,80}){2,30}[/\\]?/g,
      place: ' path ',
    },
    {
      needs: SLASH,
      form: /(?<![\w/\\.])(?:~|\.{1,2})[/\\][\w.@+~-]{1,80}(?:[/\\][\w.@+~-]{1,80}){0,30}/g,
      place: ' path ',
    },
    {
      needs: SLASH,
      form: /(?<![\w/\\.@-])[\w@-][\w.@-]{0,60}(?:\/[\w.@-]{1,60}){0,20}\/[\w.-]{1,60}\.[a-z]{1,5}\b(?::\d+)*/g,
      place: ' path ',
    },
    { needs: SLASH, form: /(?<![\w/\\.])[/\\][\w.@+~-]{2,80}(?=[\s"':,;)]|$)/g, place: ' path ' },
    // A single quoted word is user data; quoted sentences are kept.
    {
      needs: QUOTE | NOT_ASCII,
      form: /"[^"\s]{1,120}"|`[^`\s]{1,120}`|“[^”\s]{1,120}”|(?<![\w])'[^'\s]{1,120}'(?!\w)/g,
      place: ' quoted ',
    },
    // IP addresses with and without a port, host names with one.
    { needs: DOT, form: /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w.])/g, place: ' host ' },
    {
      needs: DOT,
      form: /(?<![\w.-])(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?::\d{1,5})?(?![\w(.])/g,
      place: ' host ',
    },
  ] as const
).map(({ needs, form, place }) => ({ needs, form, place, has: onceOf(form) }))
/** To ask first whether a global pattern occurs: a `replace` that finds nothing takes several times as long. */
function onceOf({ source, flags }: RegExp): RegExp {
  return new RegExp(source, flags.replace('g', ''))
}

const MARKED = ESCAPE | SLASH | AT | QUOTE | NOT_ASCII | DOT
const LOCALHOST = /(?<![\w.])localhost(?::\d{1,5})?/g
const ADDRESS = /\b0x[0-9a-f]{1,40}\b/g

/** An IPv6 address, or a clock time. */
const HAS_COLONS = /:[0-9a-f]{0,4}:/
const COLONS = /(?<![\w:.])\[?[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,8}(?:%\w{1,20})?(?:\]:\d{1,5})?(?![\w:])/g

const MONTH_OR_DAY =
  /\b(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\b(?=[ ,.:#\d]{0,4}\d)/g
const HAS_MONTH_OR_DAY = onceOf(MONTH_OR_DAY)
/** `1.5s`, `12m3s`, `3 seconds`, `2026-04-20t11:59:12z`, `3rd`, `12:30pm`, `42%`. */
const NUMBER =
  /(?<![a-z_])\d+(?:[.,:/tz+-]\d+|(?:ms|[smhd])\d+)*(?: ?(?:ms|[smhd]|secs?|seconds?|mins?|minutes?|hours?|days?|am|pm|st|nd|rd|th|z|kb|mb|gb))?\b/g

/** The words of a text, without what differs between occurrences of the same failure. */
export function shapeOf(text: string): string {
  let shape = text.slice(0, LONGEST * 8).toLowerCase()
  const marks = marksIn(shape)
  if (marks & MARKED) {
    for (const { needs, has, form, place } of VARIABLE)
      if (marks & needs && has.test(shape)) shape = shape.replace(form, place)
  }
  if (shape.includes('localhost')) shape = shape.replace(LOCALHOST, ' host ')
  if (marks & COLON && HAS_COLONS.test(shape))
    shape = shape.replace(COLONS, run => (/::|[a-f]/.test(run) ? ' host ' : run))
  if (marks & DIGIT) {
    if (shape.includes('0x')) shape = shape.replace(ADDRESS, ' # ')
    shape = withoutIds(shape)
    if (HAS_MONTH_OR_DAY.test(shape)) shape = shape.replace(MONTH_OR_DAY, ' ')
    shape = shape.replace(NUMBER, ' # ')
  }
  shape = marks & NOT_ASCII ? shape.replace(/[^\p{L}#]+/gu, ' ') : wordsOf(shape)
  if (/ (?:#|id)/.test(shape)) shape = shape.replace(/(?: (?:#|id)){2,}(?= |$)| id(?= |$)/g, ' #')
  return shape.trim().slice(0, LONGEST)
}

const BLANK = 32
const HASH = 35

/** Lower-case ASCII words and `#`, separated by one space. A loop, because a regex takes five times as long. */
function wordsOf(text: string): string {
  // Leading characters count as one space.
  let words = isWordAt(text, 0) ? '' : ' '
  let start = -1
  const { length } = text
  for (let at = 0; at < length; at++) {
    if (isWordAt(text, at)) {
      if (start < 0) start = at
    } else if (start >= 0 && !(codeAt(text, at) === BLANK && isWordAt(text, at + 1))) {
      words += `${text.slice(start, at)} `
      start = -1
    }
  }
  return start < 0 ? words : words + text.slice(start)
}

/** True for a letter or `#`. */
function isWordAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return (code >= 97 && code <= 122) || code === HASH
}

const DASH = 45
const UNDERSCORE = 95

/** Replaces ids: runs of letters and digits, possibly joined by `-` or `_`. */
function withoutIds(text: string): string {
  let kept = ''
  let done = 0
  const { length } = text
  for (let at = 0; at < length; ) {
    const start = at
    let letters = false
    let digits = false
    for (; at < length; at++) {
      const code = codeAt(text, at)
      if (code >= 97 && code <= 122) letters = true
      else if (code >= 48 && code <= 57) digits = true
      else if (!((code === DASH || code === UNDERSCORE) && at > start && isJoined(text, at))) break
    }
    if (letters && digits && isId(text.slice(start, at))) {
      kept += `${text.slice(done, start)} id `
      done = at
    }
    if (at === start) at++
  }
  return done === 0 ? text : kept + text.slice(done)
}

/** True if the character stands between two letters or digits. */
function isJoined(text: string, at: number): boolean {
  return isPlain(text.charCodeAt(at - 1)) && isPlain(text.charCodeAt(at + 1))
}

function isPlain(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57)
}

/** A name may end in a number (`gpt_4`, `error2`); an id has digits among its letters, or is long. */
const NAME = /^[a-z]{2,}(?:[-_][a-z]{2,}){0,8}[-_]?\d{0,2}$/

/** True if a run of letters and digits is an id, not words joined by `_` or `-`. */
export function isId(run: string): boolean {
  if (NAME.test(run)) return false
  // A short commit hash.
  if (/^[0-9a-f]{7,64}$/.test(run)) return true
  const longest = Math.max(...run.split(/[-_]/, 32).map(piece => (/\d/.test(piece) ? piece.length : 0)))
  return longest >= 6 || (run.length >= 12 && /\d[a-z]|[a-z]\d/.test(run))
}
