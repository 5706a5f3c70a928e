import type { Evidence } from './failure.ts'
import type { Candidate } from './precedence.ts'
import { redact } from './redact.ts'

const EXCERPT = 160
const MOST_LOST = 8

/** Which rule decided, on what, and what else matched and lost. All of it redacted. */
export function evidenceOf(candidates: readonly Candidate[]): Evidence {
  const [winner, ...others] = candidates as [Candidate, ...Candidate[]]
  const seen = new Set([winner.rule.id])
  const lost: Evidence['lost'] = []
  for (const other of others) {
    if (lost.length === MOST_LOST || seen.has(other.rule.id)) continue
    seen.add(other.rule.id)
    lost.push({ rule: other.rule.id, excerpt: excerptOf(other) })
  }
  return { rule: winner.rule.id, where: winner.where, excerpt: excerptOf(winner), lost }
}

/** The matched words with some of their surroundings, within their line. Redacted before it is cut. */
function excerptOf({ source, at, end }: Candidate): string {
  const from = source.lastIndexOf('\n', at - 1) + 1
  const stop = source.indexOf('\n', end)
  const line = source.slice(
    Math.max(from, at - 2_000),
    Math.min(stop < 0 ? source.length : stop, end + 2_000),
  )
  const clean = redact(line).trim()
  if (clean.length <= EXCERPT) return clean
  const matched = redact(source.slice(at, end))
  const found = Math.max(0, clean.indexOf(matched))
  const start = Math.max(0, Math.min(found - ((EXCERPT - matched.length) >> 1), clean.length - EXCERPT))
  return clean.slice(start, start + EXCERPT).trim()
}
