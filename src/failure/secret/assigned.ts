import { codeAt } from '../text/characters.ts'
import { looksRandom, mixtureOf } from './mixed.ts'
import { FOREIGN, meaningOfName, type NameMeaning } from './names.ts'
import type { Span } from './span.ts'
import { Tables } from './tables.ts'
import { type Value, Values } from './value.ts'

/** Every name of a secret contains one of these, or is one of other languages. */
export const NAME_WORDS: readonly string[] = [
  ...'key token secret pass pw appid credential cookie sig auth bearer basic psk crumb _pat'.split(' '),
  ...FOREIGN,
]
const LONGEST_NAME = 64
/** The word before `key` in prose: some make it the name of a secret, others may be whose key it is. */
const KEY_OF = /\b[a-z]{2,20} $/i

/** Where a word of {@link NAME_WORDS} stands. */
export interface NameWord {
  at: number
  length: number
}

/** Finds secrets that follow their name: `api_key=…`, `"token": "…"`, `--password …`, `Authorization: …`. */
export function assignedIn(text: string, words: readonly NameWord[], spans: Span[]): void {
  const values = new Values(text)
  const tables = new Tables(text)
  let done = 0
  for (const { at: index, length } of words) {
    if (index < done) continue
    let start = index
    while (start > done && index - start < LONGEST_NAME && isNamePart(text.charCodeAt(start - 1))) start--
    let end = index + length
    while (end - index < LONGEST_NAME && isNamePart(text.charCodeAt(end))) end++
    done = end
    const name = text.slice(start, end)
    // "API key", "access key": two words that form one name.
    const spaced = /^keys?$/i.test(name) ? KEY_OF.exec(text.slice(Math.max(0, start - 24), start)) : null
    const meaning = meaningOfName(spaced ? spaced[0] + name : name)
    if (meaning === 'nothing') continue
    const value = secretAfter(values, start, end, spaced ? spaced[0] + name : name, meaning)
    if (!value && (meaning === 'secret' || meaning === 'token')) tables.under(start, end, spans)
    if (!value) continue
    spans.push(value)
    done = value.end
  }
}

function isNamePart(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 46
  )
}

/** Between a name and its value; quotes may be escaped any number of times. */
const ASSIGNS =
  /(?:\\{0,8}["'`*]{1,2})?\]?\s{0,3}(?:=>|={1,3}|:=|[-~]>|[＝→]|[:：](?![:/]))(?:[ \t]{0,8}\r?\n[ \t]{1,60}(?=\\{0,8}["'])|\s{0,3})/y
/** A type between a name and its value, as in `password: &str = "…"` and `char password[] = "…"`. */
const TYPED =
  /(?::\s?&?[\w.<>[\]]{1,30}(?: \| \w{1,12})?|\s?<const>|\[\d{0,4}\]|\s[a-z*]{3,10})\s?=\s?(?=["'`])/y
/** YAML: the value is the lines below. */
const BLOCK =
  /["']?[ \t]{0,3}:[ \t]{0,3}[|>][+-]?\d?[ \t]{0,8}\r?\n((?:[ \t]{1,60}\S[^\n]{0,2000}(?:\n|$)){1,50})/y
/** `"--token", "…"`: the next argument. */
const NEXT_ARGUMENT = /\\{0,8}["'`]\s{0,2},\s{0,8}(?=\\{0,8}["'`])/y
/** A field of a form, as it is sent: headers, an empty line, the value. */
const FIELD =
  /"(?:; [^\n]{0,100}?)?(?:\r?\n|\\r\\n)(?:[A-Za-z-]{1,40}: [^\n]{1,100}?(?:\r?\n|\\r\\n)){0,3}(?:\r?\n|\\r\\n)/y
/** A variable with its default, as in `variable "db_password" { default = "…" }`. */
const DEFAULT = /"\s?\{[^{}]{0,200}?\bdefault\s{0,8}=\s{0,3}(?=")/y
/** A variable and its value as an object, as in `"db_password": {"type": "string", "value": "…"}`. */
const OBJECT = /\\{0,8}["']\s?:\s{0,3}\{[^{}]{0,200}?\bvalue\\{0,8}["']\s?:\s{0,3}(?=\\{0,8}["'])/y
/** `name: API_TOKEN` and `value: …`, in YAML, JSON or XML. */
const BESIDE_VALUE = /\\{0,8}["']?[ \t]{0,3},?\s{0,60}\\{0,8}["']?value\\{0,8}["']?\s{0,3}[:=]\s{0,3}/iy
const NAMED = /(?:name|key|id)\\{0,8}["']?\s{0,3}[:=]\s{0,3}\\{0,8}["']?$/i
/** The same the other way round. */
const VALUE_BEFORE =
  /["']value["']\s{0,3}:\s{0,3}["']([^"'\n]{2,400})["']\s{0,3},\s{0,60}["'](?:name|key)["']\s{0,3}:\s{0,3}["']$/i
/** `<env name="API_TOKEN">…` and `<key>apiToken</key><string>…`. */
const OPENED_BY_NAME = /["'][^<>"]{0,60}>\s{0,20}|<\/key>\s{0,60}<string>/iy
/** A column of a table, a line of dashes, or brackets around the value. */
const CELL = /\s{0,40}\|\s{0,40}|\s{1,40}-{2,8}\s{1,40}|[ \t]{1,3}[[(<](?=[^\s\])>]{8,200}[\])>])/y
const SAYS =
  / (?:(?:provided|given|supplied|used|sent|value)(?::| is)?|is|was|ist|lautet|est|es|è|é|jest|är|=|:) {0,2}:? ?|\s?[は是为]\s?/y
const BLANK = /[ \t]{1,3}/y

type Link =
  | 'assigned'
  | 'colon'
  | 'flag'
  | 'tag'
  | 'said'
  | 'beside'
  | 'quoted'
  | 'cell'
  | 'argument'
  | 'element'

function secretAfter(
  values: Values,
  start: number,
  end: number,
  name: string,
  meaning: Exclude<NameMeaning, 'nothing'>,
): Span | undefined {
  const { text } = values
  const isName = meaning === 'secret' || meaning === 'token'
  if (isName) {
    const lines = blockAfter(text, end) ?? valueBefore(text, start)
    if (lines) return lines
  }
  const link = linkOf(text, start, end)
  if (!link) return undefined
  if (meaning === 'cookie')
    return link.kind === 'colon' || link.kind === 'assigned' ? cookieOf(values, link.at) : undefined
  if (meaning === 'authorization') return authorizationOf(values, link)
  const value = link.kind === 'tag' ? contentOf(values, link.at) : values.at(link.at, isQuery(text, start))
  if (!value || value.isHidden) return undefined
  const hides =
    meaning === 'scheme'
      ? link.kind !== 'assigned' && isCredential(name, value, text[value.end])
      : isSecret(meaning, link.kind, value, isQuery(text, start), name)
  return hides ? { start: value.start, end: value.end } : undefined
}

function linkOf(text: string, start: number, end: number): { kind: Link; at: number } | undefined {
  TYPED.lastIndex = end
  const typed = TYPED.exec(text)
  if (typed) return { kind: 'assigned', at: end + typed[0].length }
  OBJECT.lastIndex = end
  const object = OBJECT.exec(text)
  if (object) return { kind: 'assigned', at: end + object[0].length }
  ASSIGNS.lastIndex = end
  const assigns = ASSIGNS.exec(text)
  if (assigns) {
    const isProse = /:\s/.test(assigns[0]) || assigns[0].endsWith(':')
    return { kind: isProse ? 'colon' : 'assigned', at: end + assigns[0].length }
  }
  const inside = insideTag(text, start, end)
  if (inside !== undefined) return { kind: 'tag', at: inside }
  const next = nextTo(text, start, end)
  if (next) return next
  SAYS.lastIndex = end
  const says = SAYS.exec(text)
  if (says) return { kind: 'said', at: end + says[0].length }
  BLANK.lastIndex = end
  const blank = BLANK.exec(text)
  if (!blank) return undefined
  const at = end + blank[0].length
  if (text[start] === '-') return { kind: 'flag', at }
  return { kind: text[at] === "'" || text[at] === '"' ? 'quoted' : 'beside', at }
}

/** A value that is not after the name, but beside it: in an array, a pair, an element or a table. */
function nextTo(text: string, start: number, end: number): { kind: Link; at: number } | undefined {
  const after = (pattern: RegExp) => {
    pattern.lastIndex = end
    const match = pattern.exec(text)
    return match ? end + match[0].length : undefined
  }
  const isCalled = text[start - 2] === '('
  const argument = text[start] === '-' || isCalled ? after(NEXT_ARGUMENT) : undefined
  if (argument !== undefined) return { kind: isCalled ? 'argument' : 'flag', at: argument }
  const code = text.charCodeAt(end)
  // Ends of a line or of quotes, `,` and `<`: nothing else follows a name there.
  if (code !== 10 && code !== 13 && code !== 34 && code !== 39 && code !== 92 && code !== 60 && code !== 44) {
    const cell = code === 32 || code === 124 ? after(CELL) : undefined
    return cell === undefined ? undefined : { kind: 'cell', at: cell }
  }
  if (code === 60) {
    const string = text.startsWith('<key>', start - 5) ? after(OPENED_BY_NAME) : undefined
    return string === undefined ? undefined : { kind: 'tag', at: string }
  }
  const initial = code === 34 ? after(DEFAULT) : undefined
  if (initial !== undefined) return { kind: 'assigned', at: initial }
  if (!isNamed(text, start)) {
    const element = after(NEXT_ARGUMENT)
    return element === undefined ? undefined : { kind: 'element', at: element }
  }
  const value = after(BESIDE_VALUE) ?? after(FIELD)
  if (value !== undefined) return { kind: 'assigned', at: value }
  const content = after(OPENED_BY_NAME)
  return content === undefined ? undefined : { kind: 'tag', at: content }
}

/** True after `name:` or `key=`. */
function isNamed(text: string, start: number): boolean {
  let at = start - 1
  while (at > start - 8 && (text[at] === '"' || text[at] === "'" || text[at] === '\\' || text[at] === ' '))
    at--
  return (text[at] === ':' || text[at] === '=') && NAMED.test(text.slice(Math.max(0, start - 24), start))
}

function blockAfter(text: string, end: number): Span | undefined {
  const code = text.charCodeAt(end)
  // : or a quote before it.
  if (code !== 58 && code !== 34 && code !== 39) return undefined
  BLOCK.lastIndex = end
  const block = BLOCK.exec(text)
  if (!block) return undefined
  const lines = block[1] as string
  const at = end + block[0].length - lines.length
  const span = { start: at + lines.search(/\S/), end: at + lines.trimEnd().length }
  return text.startsWith('***', span.start) ? undefined : span
}

function valueBefore(text: string, start: number): Span | undefined {
  if (text.charCodeAt(start - 1) !== 34 && text.charCodeAt(start - 1) !== 39) return undefined
  if (!isNamed(text, start)) return undefined
  const before = text.slice(Math.max(0, start - 500), start)
  const value = VALUE_BEFORE.exec(before)
  if (!value || (value[1] as string).startsWith('***')) return undefined
  const at = start - before.length + value.index + value[0].indexOf(value[1] as string, 8)
  return { start: at, end: at + (value[1] as string).length }
}

/** What opens a tag, whose name may have a prefix; in markup and in JSON the brackets may be escaped. */
const OPENS = /(?:<|&lt;|\\u003c)(?:[\w.-]{1,40}:)?$/i
/** An escaped bracket reads like a part of the name. */
const ESCAPED_OPENS = /^\\u003c/i
const OPENED = /(?:\s[^<>&]{0,300})?(?:>|&gt;|\\u003e)\s{0,40}(?:<!\[CDATA\[)?/iy

/** Where the content of a tag of this name begins; undefined if the name is no tag. */
function insideTag(text: string, start: number, end: number): number | undefined {
  const isTag =
    OPENS.test(text.slice(Math.max(0, start - 48), start)) ||
    ESCAPED_OPENS.test(text.slice(start - 1, start + 5))
  if (!isTag) return undefined
  OPENED.lastIndex = end
  const opened = OPENED.exec(text)
  return opened ? end + opened[0].length : undefined
}

/** The content ends where the next tag begins, or the line. */
function contentOf(values: Values, at: number): Value | undefined {
  const { text } = values
  const content = /^(?:[^<&\\\n]|&(?!lt;)|\\(?!u003c)){1,1000}/i
    .exec(text.slice(at, at + 1_001))?.[0]
    .replace(/(?:\]\]>|\]\]&gt;)?\s*$/, '')
  if (!content) return undefined
  return {
    start: at,
    end: at + content.length,
    text: content,
    isQuoted: true,
    isHidden: content.startsWith('***'),
  }
}

function isQuery(text: string, start: number): boolean {
  const before = text[start - 1]
  return before === '?' || before === '&'
}

/** Words in place of a secret that say why there is none. */
const STOPS = new Set(
  `null undefined none nil true false invalid expired missing required not is was has are the a an bearer basic
   token tokens failed revoked denied limit count usage error incorrect wrong unknown empty must should please refresh
   your could cannot can't no unauthorized rejected malformed string number object boolean optional redacted
   hidden unset unexpected expected too and or in for of on to with by from as it if this that ok yes does may
   will new await async auth authentication credentials realm scheme schemes header headers authorization mismatch mismatched cannot only include omit same-origin`.split(
    /\s+/,
  ),
)
/** A variable name, or a placeholder. */
const TEMPLATE =
  /^(?:[[(<]?(?:redacted|hidden|masked|filtered|omitted)\b|[A-Za-z_$][\w$]{0,60}(?:(?:\.|::|->)[A-Za-z_]\w{0,60}){0,6}\($|\$\{|\$\(|\$[A-Za-z_][A-Z_]{1,60}$|\{\{|%[sdv]$|%\(\w{1,40}\)s$|x{3,40}$|\.{3,10}$|…|<[\w -]{1,40}>?$|env:[A-Za-z_]\w{0,60}$|(?:process\.env|os\.(?:environ|getenv)|env|secrets|vars|config|settings|ENV)[.[(]|(?:[Yy]our|YOUR)[-_]|(?:[A-Z]{1,20}_){0,4}(?:TOKEN|KEY|PASSWORD|SECRET)$)/
const PLAIN_WORD = /^(?:[a-z]{1,20}|[A-Z][a-z]{1,20}|[A-Z]{1,20})(?:[-'][a-z]{1,14})?$/

function isSecret(
  meaning: 'secret' | 'token' | 'maybe',
  link: Link,
  { text, isQuoted }: Value,
  isQuery: boolean,
  name: string,
): boolean {
  if (text.length < 2 || TEMPLATE.test(text)) return false
  if (meaning === 'maybe' && NO_SECRET_KEY.test(name)) return false
  const [first = '', more] = text.slice(0, LONGEST_WORDS).split(/\s/, 2)
  const bare = withoutStop(first).toLowerCase()
  // A quoted sentence that begins like this is a complaint about the secret.
  if (STOPS.has(bare) && (!isQuoted || more === undefined || !/^(?:the|a|an)$/.test(bare))) return false
  if ((/pwd$/i.test(name) || link === 'quoted') && /^(?:[~/]|[A-Z]:\\)/i.test(text)) return false
  if (link === 'flag') return !text.startsWith('-')
  // The key of an operation is no secret, and the message about it must name it.
  if (link === 'said' || link === 'quoted') return looksRandom(text, meaning === 'maybe' ? LONG_ENOUGH : 6)
  if (link === 'cell') return looksRandom(text, 8) && !PLACE_IN_CODE.test(text)
  if (link === 'argument') return !/\s/.test(text) && looksRandom(text, 6)
  // Names and values of headers in one list; most lists of names have no values.
  if (link === 'element')
    return text.length >= LONG_ENOUGH && /^[\w+/=.~-]+$/.test(text) && mixtureOf(text, 0, text.length).isMixed
  if (link === 'beside') return looksRandom(text, LONG_ENOUGH) || (meaning === 'secret' && isPassword(text))
  if (meaning === 'maybe') return isMaybeSecret(name, text, link, isQuery)
  if (meaning === 'secret') return true
  if (/^\d{1,9}$/.test(text)) return isQuery
  // Tells "Invalid token: unexpected end" from "token=abc" and "token":"abc".
  return link !== 'colon' || isQuoted || !PLAIN_WORD.test(bare)
}

const LONG_ENOUGH = 16
/** `src/auth/token.ts:88:11`, as a frame of a stack names it after a function. */
const PLACE_IN_CODE = /\.[a-z]{1,5}(?::\d{1,7}){0,2}$/i

/** A word with a capital, a digit and more than letters and digits, or a capital and a digit inside: no prose has those. */
function isPassword(text: string): boolean {
  return (
    text.length >= 8 && /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text) && !/[.:/(]/.test(text)
  )
}

const NO_SECRET_KEY =
  /primary|foreign|cache|partition|sort|public|object|idempotency|dedupe|fingerprint|unique|operation|hash |row |map |lookup|routing/i

function isMaybeSecret(name: string, text: string, link: Link, isQuery: boolean): boolean {
  if (isQuery && /^(?:sig|signature|key|auth)$/i.test(name)) return text.length >= 4
  if (/^(?:pass|pw)$/i.test(name)) return link !== 'said' && looksRandom(text, 6)
  // `DB_PASS` and `dbPass`, not `compass`.
  if (/pass$/i.test(name))
    return /[-_.]pass$|[a-z]Pass$/i.test(name) && !/[a-z]pass$/.test(name) && !/^\d{1,6}$/.test(text)
  if (/^key$/i.test(name)) return false
  // A variable of an environment: `REDIS_AUTH=…`.
  if (/_AUTH$/.test(name) && link === 'assigned') return isPassword(text) || looksRandom(text, LONG_ENOUGH)
  // "clay key: …": whose key it is says nothing, so its value must.
  if (name.includes(' '))
    return (
      link !== 'said' &&
      /^\w+$/.test(text) &&
      text.length >= LONG_ENOUGH &&
      mixtureOf(text, 0, text.length).isMixed
    )
  return link !== 'said' && looksRandom(text, LONG_ENOUGH)
}

/** True for a credential after `Bearer` or `Basic`. */
function isCredential(scheme: string, { text }: Value, next: string | undefined): boolean {
  // `realm="…"` is a challenge.
  if (text.length < 6 || TEMPLATE.test(text) || (text.endsWith('=') && (next === '"' || next === '\\')))
    return false
  const bare = withoutStop(text.slice(0, LONGEST_WORDS))
  if (STOPS.has(bare.toLowerCase())) return false
  if (/^basic$/i.test(scheme)) return !PLAIN_WORD.test(bare) && isBase64(bare)
  // Within a sentence it is an ordinary word; at the end of the text or of its quotes it is a credential.
  const isLast = next === undefined || /["'`\n\\]/.test(next)
  return (isLast || !PLAIN_WORD.test(bare)) && /^[\w.~+/=-]+$/.test(text)
}

/** "Basic" precedes ordinary words too. Base64 has digits, inner capitals or padding, or is longer than words. */
function isBase64(text: string): boolean {
  if (!/^[\w+/-]+={0,2}$/.test(text)) return false
  return /[\d=]|[a-z][A-Z]/.test(text) || text.length >= LONG_ENOUGH
}

/** How much of a value to read to tell whether it is words. */
const LONGEST_WORDS = 80

function withoutStop(word: string): string {
  return word.replace(/[.,:;!?]{1,8}$/, '')
}

const SCHEME = /\s{0,3}\[?\s{0,2}(\\{0,8}["'`])?([A-Za-z][\w-]{1,30})[ \t]{1,3}/y
/** Schemes with one value, which ends at a space. */
const SINGLE = /^(?:bearer|basic|token|apikey|key|negotiate|ntlm)$/i

/** Everything after the scheme, up to the end of the header. */
function authorizationOf(values: Values, link: { kind: Link; at: number }): Span | undefined {
  const { text } = values
  if (link.kind !== 'colon' && link.kind !== 'assigned') return undefined
  SCHEME.lastIndex = link.at
  const scheme = SCHEME.exec(text)
  const whole = values.at(link.at, false)
  if (!scheme) {
    const isSaid =
      whole &&
      (PLAIN_WORD.test(whole.text) || TEMPLATE.test(whole.text) || STOPS.has(whole.text.toLowerCase()))
    return whole && !whole.isHidden && !isSaid && whole.text.length > 3 ? whole : undefined
  }
  const [all, quote, word] = scheme
  const at = link.at + all.length
  if (SINGLE.test(word as string)) {
    const value = values.at(at, false)
    const isSaid = value && (TEMPLATE.test(value.text) || STOPS.has(value.text.toLowerCase()))
    return value && !value.isHidden && !isSaid ? value : undefined
  }
  if (!/^(?:digest|aws4-[\w-]+|hawk|oauth|signature|apisecret|scram-\w+|mac|vapid)$/i.test(word as string)) {
    const value = values.at(at, false)
    return value && looksRandom(value.text, LONG_ENOUGH) ? value : undefined
  }
  const end = quote && whole ? whole.end : endOfLine(text, at)
  return text.startsWith('***', at) ? undefined : { start: at, end }
}

/** All pairs of a cookie header. */
function cookieOf(values: Values, at: number): Span | undefined {
  const { text } = values
  const value = values.at(at, false)
  if (!value || value.isHidden || !/^[^\s=;]{1,200}=/.test(text.slice(value.start, value.start + 201)))
    return undefined
  return { start: value.start, end: value.isQuoted ? value.end : endOfLine(text, value.start) }
}

/** The end of the header: the end of the line, or of the quotes around it. */
function endOfLine(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = codeAt(text, at)
    if (code === 10 || code === 13) return at
    // An escaped line break ends it too.
    if (code === 92 && (text[at + 1] === 'n' || text[at + 1] === 'r')) return at
  }
  return text.length
}
