import type { Evidence } from './failure.ts'
import type { Candidate } from './precedence.ts'
import type { Redactor } from './redact.ts'
import { cutAt, cutBefore } from './text/cut.ts'
import { oneLine } from './text/printable.ts'

const EXCERPT = 160
const MOST_LOST = 8
/** Characters of the line that are looked at on both sides of the match. */
const REACH = 2_000

/** Which rule decided, on what, and what else matched and lost. All of it redacted. */
export function evidenceOf(candidates: readonly Candidate[], redactor: Redactor): Evidence {
  const winner = candidates[0] as Candidate
  const lines = new Lines(redactor)
  const lost: Evidence['lost'] = []
  for (const other of candidates) {
    if (lost.length === MOST_LOST) break
    const { id } = other.rule
    if (id === winner.rule.id || lost.some(({ rule }) => rule === id)) continue
    lost.push({ rule: id, excerpt: excerptOf(other, redactor, lines) })
  }
  return {
    rule: winner.rule.id,
    where: redactor.name(winner.where),
    excerpt: excerptOf(winner, redactor, lines),
    lost,
  }
}

/** The matched words with some of their surroundings, within their line. Redacted before it is cut. */
function excerptOf({ source, at, end, structured }: Candidate, redactor: Redactor, lines: Lines): string {
  if (structured && source.length <= EXCERPT && redactor.name(source) === source) return source
  const from = source.lastIndexOf('\n', at - 1) + 1
  const stop = source.indexOf('\n', end)
  const start = Math.max(from, at - REACH)
  const clean = lines.clean(source, start, Math.min(stop < 0 ? source.length : stop, end + REACH))
  if (clean.length <= EXCERPT) return clean
  const matched = redactor.redact(oneLine(source.slice(at, end)))
  const found = Math.max(0, clean.indexOf(matched))
  const first = Math.max(0, Math.min(found - ((EXCERPT - matched.length) >> 1), clean.length - EXCERPT))
  return cutAt(cutBefore(clean, first), EXCERPT).trim()
}

/** Lines, redacted once: what matched and lost mostly stands in the same line as what won. */
class Lines {
  readonly #redactor: Redactor
  #source = ''
  #from = -1
  #to = -1
  #clean = ''

  constructor(redactor: Redactor) {
    this.#redactor = redactor
  }

  clean(source: string, from: number, to: number): string {
    if (from === this.#from && to === this.#to && source === this.#source) return this.#clean
    const line = this.#redactor.part(source, from, to)
    // What cannot be seen may have split a secret; without it, it is one.
    const shown = oneLine(line)
    this.#clean = shown === line ? line : this.#redactor.redact(shown)
    this.#source = source
    this.#from = from
    this.#to = to
    return this.#clean
  }
}
