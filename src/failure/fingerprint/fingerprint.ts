import { codeAt } from '../text/characters.ts'
import { BRACKET, COLON, COMMA, DIGIT, marksIn, SLASH } from '../text/marks.ts'
import { classNamesIn, errorNamesIn } from './error-names.ts'
import { shapeOf } from './shape.ts'
import { type Statement, statementOf } from './statement.ts'

/** What a fingerprint is made of. */
export interface FingerprintParts {
  provider?: string | undefined
  name?: string | undefined
  /** Status, code, exit code and signal. Failures that differ in one of them get different fingerprints. */
  codes?: readonly (string | number | undefined)[]
  /** What was said. */
  texts: readonly Said[]
}

/** A text, and how many wrappers it stood in. */
export interface Said {
  value: string
  depth: number
}

/** The statements that carry a failure: the first text that names one, and the deepest of its causes. */
export function statementsIn(texts: readonly Said[], provider?: string): readonly Statement[] {
  if (texts.length === 1) return [statementOf((texts[0] as Said).value, provider, true)]
  const read = texts.map(({ value, depth }) => ({ ...statementOf(value, provider), value, depth }))
  const specific = read.filter(({ isSpecific }) => isSpecific)
  const [first] = specific.length > 0 ? specific : read
  if (!first) return []
  const cause = specific.filter(({ depth }) => depth > first.depth).at(-1)
  if (!cause) return [first]
  // Prose around a JSON body: the body says it alone, in whatever order.
  return first.value.includes('{') && first.value.includes(cause.value) ? [cause] : [first, cause]
}

/**
 * Groups occurrences of the same failure of a provider, whatever stands around it. It is made of the statement that carries
 * the failure, without what changes between occurrences (times, ids, numbers, paths, hosts, quoted words, wrapping, case),
 * and of the codes and names of the error.
 */
export function fingerprintOf({ provider, name, codes = [], texts }: FingerprintParts): string {
  const names = new Set<string>()
  const shapes = new Set<string>()
  for (const { text, around } of statementsIn(texts, provider)) {
    for (const found of errorNamesIn(around)) names.add(found)
    for (const found of classNamesIn(text)) names.add(found)
    shapes.add(shapeOf(withoutDetail(text)))
  }
  const parts = [provider?.toLowerCase() ?? '', name?.toLowerCase() ?? '']
  for (const code of codes) parts.push(code === undefined ? '' : String(code).toLowerCase())
  parts.push(...[...names].sort(), ...shapes)
  return `fp2:${hash(parts.join('\u0000'))}`
}

/** Removes what belongs to one occurrence: its time and level in front, ids and remarks in brackets behind. */
function withoutDetail(statement: string): string {
  let bare = MAY_OPEN.test(statement) ? statement.replace(OPENING, '') : statement
  const marks = marksIn(bare)
  if (marks & (BRACKET | COMMA | COLON)) bare = without(REMARK, bare, ' ')
  if (marks & (DIGIT | SLASH)) bare = withoutFigures(bare)
  if (/id\b|see|visit|please|more|details/i.test(bare)) {
    if (marks & DIGIT || bare.includes('=')) bare = without(ID_FIELD, bare, ' ')
    bare = bare.replace(REFERENCE, ' ')
  }
  if (!(marks & DIGIT)) return bare
  bare = without(SHORT_HASH, bare, '0')
  if (!NAMED.once.test(bare)) return bare
  return bare.replace(NAMED.every, (_all, where: string | undefined, what: string) =>
    where === undefined ? what : ' ',
  )
}

/** A pattern to ask whether it occurs, and to replace it everywhere: a `replace` that finds nothing takes far longer. */
interface Replaced {
  once: RegExp
  every: RegExp
}

function replaced({ source, flags }: RegExp): Replaced {
  return { once: new RegExp(source, flags), every: new RegExp(source, `${flags}g`) }
}

function without({ once, every }: Replaced, text: string, place: string): string {
  return once.test(text) ? text.replace(every, place) : text
}

/** Cuts `: 331 of 1024 bytes read` off a statement that has said enough without it. */
function withoutFigures(statement: string): string {
  const at = Math.max(statement.lastIndexOf(': '), statement.lastIndexOf(' - '), statement.lastIndexOf(' – '))
  if (at < 0 || statement.slice(0, at).split(' ', ENOUGH + 1).length < ENOUGH) return statement
  const words = statement
    .slice(at)
    .split(/[\s:–-]+/)
    .filter(word => word !== '')
  return words.filter(word => /[\d/\\]/.test(word)).length * 3 >= words.length
    ? statement.slice(0, at)
    : statement
}

/** How many words say what failed. */
const ENOUGH = 5

/** Most statements begin with a letter that no level begins with. */
const MAY_OPEN = /^[^a-zA-Z]|^[fecpus]/i
const OPENING =
  /^[^\p{L}\d/~.]*(?:\[?\d{1,4}[-/:. ]?[\d\-/:.,T +Z]{4,40}\]?\s*)?(?:[^\p{L}\d]*(?:fatal|error|err|critical|crit|panic|uncaught|unhandled|severe|fehler)\b[^\p{L}\d]*(?![^\p{L}\d]*\d))*/iu
/** A remark in round brackets that has a number, a path or `key: value`. One in words may name the failure. */
const REMARK = replaced(
  /\s?\[(?:req(?:uest)?|trace|span|ref|id|session|run|job)(?:[ _-]?id)?[ :=#]{1,2}[\w-]{1,80}\]|\s?\[[^[\]=]{1,40}=[^[\]]{1,200}\]|\s?\(core dumped\)|\s?\((?=[^()]*[\d:=/,])[^()]{0,200}\)|,\s[^,;:.'"`/\\]{0,80}\d[^,;:.'"`/\\]{0,80}(?=,|$)|: (?:expected|wanted) \S*\d\S*,? (?:but )?(?:got|found|received) \S+/,
)
/** `7f3a`. */
const SHORT_HASH = replaced(/(?<![\w.])(?=[\da-f]*\d[a-f])[\da-f]{4,6}(?![\w.])/i)
/** The name of one session, node or job. */
const NAMED = replaced(
  /(\s(?:on|in|at|for|from|by|of) )?\b(session|job|run|request|thread|turn|worker|node|pod|task|container|build|shard|segment|conn(?:ection)?|pid|id)[ #:=-]{1,2}[\w-]*\d[\w-]*/i,
)
/** `sessionID=ses_1` among other fields. */
const ID_FIELD = replaced(/(?<!\w)[a-z_.]{0,30}id=\S{1,200}(?=\s+\S+=)/i)
/** From `request id: …` on. */
const REFERENCE =
  /[\s,;(]+(?:(?:request|trace|session|correlation|event|incident|span|run|job|log)[ _-]?id\b|(?:see|visit|please|for more|more info|details at|learn more)\b).*$/is

/** A 64-bit hash as hex, from two multiplicative passes: enough to tell failures apart. */
export function hash(text: string): string {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  const { length } = text
  for (let i = 0; i < length; i++) {
    const code = codeAt(text, i)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return hex(a) + hex(b)
}

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function hex(bits: number): string {
  return `${BYTES[bits >>> 24]}${BYTES[(bits >>> 16) & 255]}${BYTES[(bits >>> 8) & 255]}${BYTES[bits & 255]}`
}

/**
 * The first form of fingerprints: of the first line, whatever it says. Labels that were given to it still apply. It made one
 * failure of all that stand behind the same banner.
 */
export function firstFingerprintOf(parts: {
  provider?: string | undefined
  name?: string | undefined
  /** Status, code, exit code and signal. Failures that differ in one of them get different fingerprints. */
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
