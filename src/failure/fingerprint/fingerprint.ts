import { errorNamesIn } from './error-names.ts'
import { hash } from './hash.ts'
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
  const statements = statementsIn(texts, provider)
  const names = new Set(statements.flatMap(({ around }) => errorNamesIn(around)))
  return `fp2:${hash(
    [
      provider?.toLowerCase() ?? '',
      name?.toLowerCase() ?? '',
      ...codes.map(code => (code === undefined ? '' : String(code).toLowerCase())),
      ...[...names].sort(),
      ...new Set(statements.map(({ text }) => shapeOf(withoutDetail(text)))),
    ].join('\u0000'),
  )}`
}

/** Removes what belongs to one occurrence: its time and level in front, ids and remarks in brackets behind. */
function withoutDetail(statement: string): string {
  let bare = statement.replace(OPENING, '')
  if (/[(,]|: (?:expected|wanted)/.test(bare)) bare = bare.replace(REMARK, ' ')
  if (/id\b|see|visit|please|more|details/i.test(bare)) bare = bare.replace(REFERENCE, ' ')
  if (!/\d/.test(bare)) return bare
  return bare.replace(NAMED, (_all, where: string | undefined, what: string) =>
    where === undefined ? what : ' ',
  )
}

const OPENING =
  /^[^\p{L}\d]*(?:\[?\d{1,4}[-/:. ]?[\d\-/:.,T +Z]{4,40}\]?\s*)?(?:[^\p{L}\d]*(?:fatal|error|err|critical|crit|panic|uncaught|unhandled|severe|fehler)\b[^\p{L}\d]*(?![^\p{L}\d]*\d))*/iu
/** A remark in round brackets that has a number, a path or `key: value`. One in words may name the failure. */
const REMARK =
  /\s?\((?=[^()]*[\d:=/,])[^()]{0,200}\)|,\s[^,;:.'"`/\\]{0,80}\d[^,;:.'"`/\\]{0,80}(?=,|$)|: (?:expected|wanted) \S*\d\S*,? (?:but )?(?:got|found|received) \S+/g
/** The name of one session, node or job. */
const NAMED =
  /(\s(?:on|in|at|for|from|by|of) )?\b(session|job|run|request|thread|turn|worker|node|pod|task|container|build|shard|segment|conn(?:ection)?|pid|id)[ #:=-]{1,2}[\w-]*\d[\w-]*/gi
/** From `request id: …` on. */
const REFERENCE =
  /[\s,;(]+(?:(?:request|trace|session|correlation|event|incident|span|run|job|log)[ _-]?id\b|(?:see|visit|please|for more|more info|details at|learn more)\b).*$/is
