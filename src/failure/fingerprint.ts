const LONGEST = 400

/**
 * Groups the same failure of a provider across time: what changes from one occurrence to the next (times, ids,
 * numbers, paths, hosts, hashes, quoted names, case) is taken out; the words, their order and the codes stay.
 */
export function fingerprintOf(parts: {
  provider?: string | undefined
  name?: string | undefined
  /** Status, code, exit code and signal: two failures that differ in one of them are two. */
  codes?: readonly (string | number | undefined)[]
  text: string
}): string {
  const codes = (parts.codes ?? []).map(code => (code === undefined ? '' : String(code).toLowerCase()))
  const shape = [
    parts.provider?.toLowerCase() ?? '',
    parts.name?.toLowerCase() ?? '',
    ...codes,
    shapeOf(parts.text),
  ].join('\u0000')
  return `fp1:${hash(shape)}`
}

/** What differs between two occurrences, and what stands in its place. In this order: a path may hold an id. */
const VARIABLE: readonly (readonly [RegExp, string])[] = [
  [/\x1b\[[0-9;]{0,32}m/g, ' '],
  [/\b[a-z][a-z0-9+]{1,10}:\/\/[^\s"'<>)]{1,500}/g, ' url '],
  [/(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g, ' mail '],
  // Paths: from a root, a drive, a home or a dot; or relative ones that end in a file.
  [/(?<![\w/\\])(?:[a-z]:|~|\.{1,2})?(?:[/\\][\w.@+~-]{1,80}){2,30}[/\\]?/g, ' path '],
  [/(?<![\w/\\.])(?:~|\.{1,2})[/\\][\w.@+~-]{1,80}(?:[/\\][\w.@+~-]{1,80}){0,30}/g, ' path '],
  [
    /(?<![\w/\\.@-])[\w@-][\w.@-]{0,60}(?:\/[\w.@-]{1,60}){0,20}\/[\w.-]{1,60}\.[a-z]{1,5}\b(?::\d+)*/g,
    ' path ',
  ],
  [/(?<![\w/\\.])[/\\][\w.@+~-]{2,80}(?=[\s"':,;)]|$)/g, ' path '],
  // Names in quotes are somebody's, unless they are a sentence or several words.
  [/"[^"\s]{1,120}"|`[^`\s]{1,120}`|“[^”\s]{1,120}”|(?<![\w])'[^'\s]{1,120}'(?!\w)/g, ' quoted '],
  // Addresses with and without a port, hosts with one.
  [/(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w.])/g, ' host '],
  [/(?<![\w.-])(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?::\d{1,5})?(?![\w(.])/g, ' host '],
  [/(?<![\w.])localhost(?::\d{1,5})?/g, ' host '],
  [/\b0x[0-9a-f]{1,40}\b/g, ' # '],
]

/** An address of IPv6, or a clock time. */
const COLONS = /(?<![\w:.])\[?[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,8}(?:%\w{1,20})?(?:\]:\d{1,5})?(?![\w:])/g

const MONTH_OR_DAY =
  /\b(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\b(?=[ ,.:#\d]{0,4}\d)/g
/** `1.5s`, `12m3s`, `3 seconds`, `2026-04-20t11:59:12z`, `3rd`, `12:30pm`, `42%`. */
const NUMBER =
  /(?<![a-z_])\d+(?:[.,:/tz+-]\d+|(?:ms|[smhd])\d+)*(?: ?(?:ms|[smhd]|secs?|seconds?|mins?|minutes?|hours?|days?|am|pm|st|nd|rd|th|z|kb|mb|gb))?\b/g
const WORD_OR_ID = /[a-z0-9]+(?:[-_][a-z0-9]+)*/g

/** The words of a text without what differs between two occurrences of the same failure. */
export function shapeOf(text: string): string {
  let shape = text.slice(0, LONGEST * 8).toLowerCase()
  for (const [pattern, place] of VARIABLE) shape = shape.replaceAll(pattern, place)
  shape = shape.replaceAll(COLONS, run => (/::|[a-f]/.test(run) ? ' host ' : run))
  return shape
    .replaceAll(WORD_OR_ID, run => (isId(run) ? ' id ' : run))
    .replaceAll(MONTH_OR_DAY, ' ')
    .replaceAll(NUMBER, ' # ')
    .replaceAll(/[^\p{L}#]+/gu, ' ')
    .replaceAll(/(?: (?:#|id))+(?= |$)/g, ' #')
    .trim()
    .slice(0, LONGEST)
}

/** A name may carry a number at its end (`gpt_4`, `error2`); an id has digits among its letters, or is long. */
const NAME = /^[a-z]{2,}(?:[-_][a-z]{2,}){0,8}[-_]?\d{0,2}$/

/** An id needs a digit: words joined by `_` or `-` are words. */
function isId(run: string): boolean {
  if (!/\d/.test(run) || !/[a-z]/.test(run) || NAME.test(run)) return false
  // A commit's short hash.
  if (/^[0-9a-f]{7,64}$/.test(run)) return true
  const longest = Math.max(...run.split(/[-_]/, 32).map(piece => (/\d/.test(piece) ? piece.length : 0)))
  return longest >= 6 || (run.length >= 12 && /\d[a-z]|[a-z]\d/.test(run))
}

/** 64 bits of a text, as hex: two passes of a multiplicative hash, enough to tell failures apart. */
function hash(text: string): string {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0')
}
