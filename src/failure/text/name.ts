import { codeAt } from './characters.ts'
/**
 * Names are no words: `Missing columns: 'timeout'`, `Invalid 'max_output_tokens'` and `on quotas.quota.openshift.io` speak of
 * things that somebody called so, not of a timeout or a quota.
 *
 * @returns true if the match from `start` to `end` begins within such a name
 */
export function isName(text: string, start: number, end: number): boolean {
  let from = start
  while (from > 0 && start - from < LONGEST && isNamePart(codeAt(text, from - 1))) from--
  const before = text.charCodeAt(from - 1)
  const isQuoted = before === 39 || before === 34 || before === 96
  if (isTypeTalkedAbout(text, start, end) || isOfParser(text, start)) return true
  // Most matches are plain words, which end here.
  if (!isQuoted && (from === start || text.charCodeAt(start - 1) !== DOT)) return isInQuery(text, start, end)
  let to = start
  while (to < text.length && to - start < LONGEST && isNamePart(codeAt(text, to))) to++
  if (!isQuoted) return HOST.test(text.slice(from, to))
  return text.charCodeAt(to) === before && NAMED.test(text.slice(Math.max(0, from - LONGEST), from - 1))
}

/** True for the name of an error's type that is the subject of a sentence: `BadGatewayError is in litellm but not in …`. */
function isTypeTalkedAbout(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start)
  if (first < 65 || first > 90 || text.slice(start, end).includes(' ')) return false
  const said = text.slice(start, end + LONGEST)
  return /Error |Exception /.test(said) && TYPE_TALKED_ABOUT.test(said)
}

const TYPE_TALKED_ABOUT = /^[A-Z]\w*(?:Error|Exception) (?:is (?:in|not|a|an)|has no|does not|not in|in)\b/

/** True for the token that a parser did not expect: `Unexpected token '<', "<" is not valid JSON` is about no login. */
function isOfParser(text: string, start: number): boolean {
  return text.startsWith('token', start) && /\bunexpected $/i.test(text.slice(Math.max(0, start - 12), start))
}

/** True within the columns of a query that an error repeats. */
function isInQuery(text: string, start: number, end: number): boolean {
  const select = text.lastIndexOf('SELECT ', start)
  if (select < 0 || start - select > LONGEST_QUERY) return false
  const following = text.indexOf(' FROM ', end)
  return following >= 0 && following - end <= LONGEST_QUERY && !/[;\n]/.test(text.slice(select, following))
}

const LONGEST_QUERY = 500
const LONGEST = 64
const DOT = 46

/** Letters, digits, and what joins them in the names of code and of hosts. */
function isNamePart(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === DOT ||
    code === 45 ||
    code === 36
  )
}

const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+\.(?:io|com|net|org|dev|ai|co|app|cloud|internal|local)$/

/** What stands before the name of a thing in code, in data, or among the settings. */
const NAMED =
  /\b(?:columns?|fields?|parameters?|params?|arguments?|args?|propert(?:y|ies)|attributes?|keys?|options?|flags?|settings?|variables?|identifiers?|functions?|methods?|modules?|tables?|relations?|index|invalid|unknown|missing|unsupported|unexpected|undefined|unrecogni[sz]ed|named|called):? ?$/i
