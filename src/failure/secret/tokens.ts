import { codeAt } from '../text/characters.ts'
import { KINDS, looksRandom, mixtureOf } from './mixed.ts'
import { mayBeCased, mayBeKey, prefixAt } from './prefixes.ts'
import type { Span } from './span.ts'

/** Only runs of at least this many key characters are searched. Prose has few of them, so this costs little. */
const LEAST_RUN = 15

/** Prefixes made only of letters: their case tells them from words. */
const CASED =
  /^(?:AIza[\w-]{30,}|(?:AKIA|ASIA|AROA|AIDA|ANPA|ABIA|ACCA)[A-Z0-9]{12,}|LTAI[A-Za-z0-9]{12,}|SCW[A-Z0-9]{17}(?![A-Za-z0-9])|cflt[\w+/]{50,}|AKID[A-Za-z0-9]{28,}|ABSK[\w+/=]{30,}|dapi[a-f0-9]{32}|ATATT3[\w=-]{20,}|ATCTT3[\w=-]{20,}|EAA[A-Za-z0-9]{30,}|(?:bot)?\d{6,12}:A[\w-]{30,}|cio[A-Za-z0-9]{32}|ATBB[A-Za-z0-9]{32}|BSA[\w-]{27}|oy2[a-z0-9]{43}|EXO[a-f0-9]{24}|SK[a-f0-9]{32}|eyJ[\w+/-]{8,}(?:\.[\w-]+)*)/
/** Azure's mark is in the middle of its secrets, Mailchimp's at the end. */
const MARKED_INSIDE = /^(?:\w{3}\dQ~[\w.~-]{30,}|[a-f0-9]{32}-us\d{1,2}(?!\d))/
/** Azure's other keys: base64 with a mark in the middle, one for each service. */
const AZURE =
  /(?<![\w+/-])[\w+/-]{33,76}(?:JQQJ|AzFu|AzSe|AzCa|AZEG|AIoT|ACDb|APIM|\+A(?:Rm|Eh|Sb|St|Ba|MC|CR))[\w+/-]{5,40}={0,2}(?![\w+/=-])/
const AZURE_LENGTHS = { least: 43, most: 200 }
/** A run with more possible starts than this is a path or a chain of words; the rest is skipped. */
const MOST_STARTS = 64

/**
 * Finds keys by their prefix or their random body, anywhere in a text. Reads only every fifteenth character, and from there
 * back to the start of the run.
 */
export function tokensIn(text: string, spans: Span[]): void {
  const { length } = text
  let outside = -1
  for (let at = LEAST_RUN - 1; at < length; at = outside + LEAST_RUN) {
    const before = outside
    for (outside = at; outside > before && isRunPart(codeAt(text, outside)); outside--);
    if (outside > before) continue
    let end = at + 1
    while (end < length && isRunPart(codeAt(text, end))) end++
    if (mayHoldKey(text, before + 1, end)) keysIn(text, before + 1, end, spans)
    outside = end
  }
}

/** Every key has a digit, or both lower case and capitals; most paths and names do not. */
function mayHoldKey(text: string, from: number, to: number): boolean {
  let isLower = false
  let isUpper = false
  for (let at = from; at < to; at++) {
    const code = codeAt(text, at)
    if (code >= 48 && code <= 57) return true
    if (code >= 97 && code <= 122) isLower = true
    else if (code >= 65 && code <= 90) isUpper = true
  }
  return isLower && isUpper
}

function keysIn(text: string, index: number, to: number, spans: Span[]): void {
  const run = text.slice(index, to)
  if (run.length >= AZURE_LENGTHS.least && run.length <= AZURE_LENGTHS.most) {
    const key = AZURE.exec(run)
    if (key) spans.push({ start: index + key.index, end: index + key.index + key[0].length })
  }
  let from = 0
  let left = MOST_STARTS
  const last = run.length - SHORTEST_KEY
  for (let at = 0; at <= last && left > 0; at++) {
    if (at > 0 && !separates(codeAt(run, at - 1))) continue
    if (!mayBegin(run, at)) continue
    left--
    const end = endOfKey(run, at)
    if (end === at) continue
    spans.push({ start: index + at, end: wrapped(text, index + end) })
    from = end
    at = end - 1
  }
  if (from === 0) mixedIn(text, index, run, spans)
}

/** Where a key can begin inside a run: after . : + / = ~ or -, not after a letter, a digit or `_`. */
function separates(code: number): boolean {
  return code < 65 ? code < 48 || code > 57 : code === 126
}

/** True if a key may begin here: most places are ruled out by two characters. */
function mayBegin(run: string, at: number): boolean {
  return mayBeKey(run, at) || run.charCodeAt(at + 5) === 126 || run.charCodeAt(at + 32) === 45
}

/** Letters, digits and . : + / = ~ - _ */
const RUN_PARTS = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w.:+/=~-]/.test(String.fromCharCode(code)) ? 1 : 0,
)

function isRunPart(code: number): boolean {
  return RUN_PARTS[code] === 1
}

/** Characters of keys after their prefix, with pieces that base64 or dots join. */
const BODY = /[\w-]*(?:[.+/=~]{1,3}[\w-]*)*/y
const FIRST_PIECE = /[\w-]*/y
/** The start of a JSON web token: `eyJ` and eight characters. */
const SHORTEST_KEY = 11

/** The end of the key that begins at `start`; `start` if there is none. */
function endOfKey(run: string, start: number): number {
  if (run.length - start < SHORTEST_KEY) return start
  if (mayBeCased(run, start)) {
    const cased = CASED.exec(start === 0 ? run : run.slice(start, start + 8_192))
    if (cased && looksRandom(cased[0], 0)) return endOfBody(run, start + cased[0].length)
  }
  if (run.charCodeAt(start + 5) === 126 || run.charCodeAt(start + 32) === 45) {
    const marked = MARKED_INSIDE.exec(run.slice(start, start + 100))
    if (marked) return start + marked[0].length
  }
  const known = prefixAt(run, start)
  if (!known) return start
  const from = start + known.prefix.length
  const end = endOfBody(run, from)
  return end - from >= known.least && isKeyBody(run.slice(from, end)) ? end : start
}

/**
 * Includes what is glued to a key: nothing after the marker may look like the start of another key. Base64 continues after
 * `+` and `/`, as far as it looks random: a path does not.
 */
function endOfBody(run: string, from: number): number {
  FIRST_PIECE.lastIndex = from
  let end = from + (FIRST_PIECE.exec(run)?.[0].length ?? 0)
  if (end === run.length) return end
  BODY.lastIndex = from
  const whole = BODY.exec(run)?.[0] ?? ''
  let at = from
  for (const piece of whole.split(/[.+/=~]/, 256)) {
    at += piece.length
    if (at > end && looksRandom(piece, 8)) end = at
    at++
  }
  while (end < run.length && (run[end] === '=' || run[end] === '+')) end++
  return end
}

/** A key that a terminal or a shell broke at the end of a line. */
const NEXT_LINE = /\\?\r?\n([\w+/=-]{8,})(?![^\s"'`,;)])/y

function wrapped(text: string, end: number): number {
  NEXT_LINE.lastIndex = end
  const next = text[end] === '\n' || text[end] === '\\' ? NEXT_LINE.exec(text) : null
  if (!next || !looksRandom(next[1] as string, 8) || prefixAt(next[1] as string, 0)) return end
  return end + next[0].length
}

/** Words joined by `_` or `-` are a name; one long piece with digits is a key. */
function isKeyBody(body: string): boolean {
  return (
    body.split(/[-_.+/]/, 32).some(piece => looksRandom(piece, 8)) ||
    (looksRandom(body, 24) && /\d{2}/.test(body))
  )
}

/** What may stand before a random body: short words, each followed by `_`, `-` or `.`. */
const HEAD = /^(?:[A-Za-z][A-Za-z0-9]{0,15}[_.-]){1,4}/
/** A word of a head that says that a secret follows. */
const MARKED =
  /(?:^|[_.-])(?:[a-z0-9]{0,10}(?:key|sec|secret|tok|token|tkn|pat|pwd|pw)|[a-z]at|sk|rk|ak|sa|api|live|prod|production|auth|oauth|access)[_.-]/i
/** Words before ids that are no secrets. */
const ID =
  /^(?:req|request|msg|message|resp|response|call|tool|toolu|chatcmpl|cmpl|run|step|thread|asst|file|batch|evt|event|item|conv|gen|org|proj|project|user|usr|cus|sub|pi|pm|ch|in|inv|seti|src|txn|acct|price|prod|cs|job|task|op|wf|prj|team|wrkspc|msgbatch|prt|ins|py|tr|si|il|bps|modr|docker|containerd|crio|layer|blob|chunk|bundle|fp\d?|id|uid|sid|session|ses|trace|span|sha\d*|md5|hash|commit|etag|build|deploy|dpl|img|image|pod|node|worker|host|ip|vol|i|ami|snap|eni|vpc|subnet|sg|rs|fc|ws|ig|mcp|vs|ft|ftjob|srvtoolu|container|cntr|cache|tmp|temp|v\d+)[_.-]/i
/** A word, a version, a body and its checksum: a key, whatever the word. */
const CHECKED = /^[a-z]{1,8}_v\d_[A-Za-z0-9]{28,48}_[A-Za-z0-9]{6,12}$/i
/** `tr_1a2b…` is an id, `tr_prod_1a2b…` a key: the words after the first say so. */
function isId(piece: string, head: string): boolean {
  const first = ID.exec(piece)?.[0]
  if (CHECKED.test(piece)) return false
  return first !== undefined && !MARKED.test(head.slice(first.length - 1))
}

/** Fewer between lower case, capitals and digits are in no random body. */
const FEWEST_CHANGES = 4
const LEAST = {
  marked: 14,
  hexMarked: 20,
  headed: 20,
  letteredHeaded: 26,
  hexHeaded: 40,
  bare: 40,
  dotted: 27,
  inData: 120,
}

/**
 * A key of a vendor that nobody listed: a random body, the longer the less its head says. Ids are shorter, or have a head of
 * their own; digests are hexadecimal; a whole line may be data.
 */
function mixedIn(text: string, index: number, run: string, spans: Span[]): void {
  let start = 0
  let changes = 0
  let last = 0
  const { length } = run
  for (let at = 0; at <= length; at++) {
    const kind = at < length ? (KINDS[codeAt(run, at)] as number) : 8
    if (kind === last || kind === 0) continue
    changes++
    last = kind
    if (kind !== 8) continue
    if (changes > FEWEST_CHANGES && at - start > LEAST.marked) {
      const piece = run.slice(start, at)
      if (isRandomKey(text, index + start, piece)) {
        const end = continued(run, at)
        spans.push({ start: index + start, end: wrapped(text, index + end) })
        at = Math.max(at, end)
      }
    }
    start = at + 1
    changes = 0
    last = 0
  }
}

function isRandomKey(text: string, at: number, piece: string): boolean {
  const head = headOf(piece)
  if (isId(piece, head) || isDigest(text, at)) return false
  const from = head.length
  const body = piece.length - from
  const { kinds, isMixed } = mixtureOf(piece, from, piece.length)
  const isMarked = from > 0 && MARKED.test(head)
  if (!isMixed)
    return (
      isMarked &&
      body >= LEAST.hexMarked &&
      /^[a-z0-9]+$/i.test(piece.slice(from)) &&
      looksRandom(piece.slice(from), 0)
    )
  if (isMarked) return body >= (kinds === 3 ? LEAST.marked : LEAST.hexMarked)
  if (from > 0 && kinds === 3) return body >= LEAST.headed
  if (PAIR.test(text.slice(at + from, at + from + LONGEST_PAIR))) return true
  if (from > 0) return /^(?:[A-Za-z0-9]{1,10}_){1,3}$/.test(head) && isOneCase(piece.slice(from))
  if (kinds < 3) return false
  if (piece.includes('.')) return (piece.split('.').at(-1) as string).length >= LEAST.dotted
  return body >= LEAST.bare && !isData(text, at, at + piece.length)
}

/** Two random halves, such as the id and the secret of a key. A trace has shorter ones, a range of commits two dots. */
const PAIR =
  /^(?:[a-f0-9]{24,}|[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12})(?:[.:][a-f0-9]{24,}(?![\w-])|\.[A-Za-z0-9]{16}(?![\w.-]))/
const LONGEST_PAIR = 160

/** A long body in one case. Ids that begin with the time (ULID) and digests are as long. */
function isOneCase(body: string): boolean {
  if (!/^[a-z0-9]+$/i.test(body) || /^0[0-7][a-z0-9]{24}$/i.test(body)) return false
  return body.length >= (/[g-z]/i.test(body) ? LEAST.letteredHeaded : LEAST.hexHeaded)
}

/** Base64 continues after `/`, `+` and `=`, a pair after `:`, as far as it looks random: a path does not. */
const CONTINUES = /(?:[+/=:.~]{1,2}[\w-]{0,7}){0,3}[+/=:.~]{1,2}([\w-]{8,4096})/y

function continued(run: string, from: number): number {
  let end = from
  for (;;) {
    CONTINUES.lastIndex = end
    const next = CONTINUES.exec(run)
    if (!next || !looksRandom(next[1] as string, 8)) break
    end += next[0].length
  }
  while (run[end] === '=') end++
  return end
}

/** True after `sha256:` and the like. */
function isDigest(text: string, at: number): boolean {
  return /\bsha\d*.$/is.test(text.slice(Math.max(0, at - 8), at))
}

/** The words before the body: as many as leave the longest mixed rest. */
function headOf(piece: string): string {
  const head = HEAD.exec(piece)?.[0] ?? ''
  let end = 0
  for (const word of head.split(/(?<=[_.-])/)) {
    // A word of letters only, or with a digit or two at its end.
    if (!/^[A-Za-z]{1,16}\d{0,2}[a-z]?\d?[_.-]$/.test(word) && !/^[a-z]\d[a-z]\w{0,6}[_.-]$/.test(word)) break
    end += word.length
  }
  return head.slice(0, end)
}

/** A line of its own, part of base64 with `+`, `/` or `=`, or a public key. */
function isData(text: string, start: number, end: number): boolean {
  if (
    text.startsWith('AAAA', start) ||
    /\bpublic key\W{1,4}$/i.test(text.slice(Math.max(0, start - 16), start))
  )
    return true
  if (end - start >= LEAST.inData) return false
  const before = text[start - 1]
  const after = text[end]
  if (before === '+' || before === '/' || after === '+' || after === '/' || after === '=') return true
  return (
    (before === undefined || before === '\n') && (after === undefined || after === '\n' || after === '\r')
  )
}
