import type { Evidence } from './failure.ts'
import type { Candidate } from './precedence.ts'
import { Redacted, redact } from './redact.ts'
import { oneLine } from './text/shown.ts'

const EXCERPT = 160
const MOST_LOST = 8
/** Characters of the line that are looked at on both sides of the match. */
const REACH = 2_000

/** Which rule decided, on what, and what else matched and lost. All of it redacted. */
export function evidenceOf(candidates: readonly Candidate[]): Evidence {
  const [winner, ...others] = candidates as [Candidate, ...Candidate[]]
  const seen = new Set([winner.rule.id])
  const sources = new Map<string, Redacted>()
  const lost: Evidence['lost'] = []
  for (const other of others) {
    if (lost.length === MOST_LOST || seen.has(other.rule.id)) continue
    seen.add(other.rule.id)
    lost.push({ rule: other.rule.id, excerpt: excerptOf(other, sources) })
  }
  return {
    rule: winner.rule.id,
    where: redact(oneLine(winner.where)),
    excerpt: excerptOf(winner, sources),
    lost,
  }
}

/** The matched words with some of their surroundings, within their line. Redacted before it is cut. */
function excerptOf({ source, at, end }: Candidate, sources: Map<string, Redacted>): string {
  const redacted = sources.get(source) ?? new Redacted(source)
  sources.set(source, redacted)
  const from = source.lastIndexOf('\n', at - 1) + 1
  const stop = source.indexOf('\n', end)
  const start = Math.max(from, at - REACH)
  const line = redacted.part(start, Math.min(stop < 0 ? source.length : stop, end + REACH))
  // What cannot be seen may have split a secret; without it, it is one.
  const shown = oneLine(line)
  const clean = shown === line ? line : redact(shown)
  if (clean.length <= EXCERPT) return clean
  const matched = redact(oneLine(source.slice(at, end)))
  const found = Math.max(0, clean.indexOf(matched))
  const first = Math.max(0, Math.min(found - ((EXCERPT - matched.length) >> 1), clean.length - EXCERPT))
  return clean.slice(first, first + EXCERPT).trim()
}
