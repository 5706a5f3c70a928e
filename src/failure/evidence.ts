import { RANKS } from './catalogue/rank.ts'
import type { Evidence } from './failure.ts'
import { madeHere } from './made-here.ts'
import type { Observation } from './observe/observation.ts'
import type { Candidate } from './precedence.ts'
import type { Redactor } from './redact.ts'
import type { Speaker } from './speaker.ts'
import { backerOf, speakerOf } from './speaking.ts'
import { cutAt, cutBefore } from './text/cut.ts'
import { oneLine } from './text/printable.ts'

const EXCERPT = 160
const MOST_LOST = 8
/** How many characters of the line to read on each side of the match. */
const REACH = 2_000

/** The evidence of a classification, redacted: the deciding rule, its excerpt, and the rules that matched and lost. */
export function evidenceOf(
  candidates: readonly Candidate[],
  observation: Observation,
  redactor: Redactor,
  clock: Speaker | undefined,
): Evidence {
  const winner = candidates[0] as Candidate
  const lines = new Lines(redactor)
  const lost: Evidence['lost'] = []
  const { stands } = RANKS[winner.rule.rank]
  for (const other of candidates) {
    if (lost.length === MOST_LOST) break
    const { id } = other.rule
    // What counts only without other evidence did not lose to it.
    if (stands && !RANKS[other.rule.rank].stands) continue
    if (id === winner.rule.id || lost.some(({ rule }) => rule === id)) continue
    lost.push({
      rule: id,
      excerpt: excerptOf(other, redactor, lines),
      speaker: speakerOf(other, observation),
    })
  }
  const speaker = speakerOf(winner, observation)
  const backer = backerOf(candidates, speaker, observation)
  return madeHere({
    rule: winner.rule.id,
    where: redactor.name(winner.where),
    excerpt: excerptOf(winner, redactor, lines),
    speaker,
    ...(backer === undefined ? {} : { backer }),
    ...(clock === undefined ? {} : { clock }),
    lost,
  })
}

/** Evidence that lost to a later decision. */
export function lostOf({ rule, excerpt, speaker }: Evidence): Evidence['lost'][number] {
  return { rule, excerpt, ...(speaker === undefined ? {} : { speaker }) }
}

/** The matched words and some text around them, from one line. Redacted before it is cut. */
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

/** Caches the last redacted line: most losing rules matched in the same line as the winner. */
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
    // Invisible characters may have split a secret; redact again without them.
    const shown = oneLine(line)
    this.#clean = shown === line ? line : this.#redactor.redact(shown)
    this.#source = source
    this.#from = from
    this.#to = to
    return this.#clean
  }
}
