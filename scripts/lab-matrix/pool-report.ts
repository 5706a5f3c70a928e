import type { CliName } from './install.ts'
import type { PoolOutcome } from './pool.ts'

const BEGIN = '<!-- pools -->'
const END = '<!-- end of pools -->'

/** True if the healthy second CLI answered. */
export function isAnswered({ answeredBy, second }: PoolOutcome): boolean {
  return answeredBy === second
}

/** The figure in a line, and the section of the document. */
export function poolReport(
  outcomes: readonly PoolOutcome[],
  packages: Record<CliName, { name: string; version: string }>,
): { summary: string; section: string } {
  const summary = `- pools that answered: ${outcomes.filter(isAnswered).length} of ${outcomes.length}`
  const versions = Object.values(packages).map(({ name, version }) => `${name} ${version}`)
  const section = [
    BEGIN,
    '## Pools: the first CLI is refused, the second is healthy',
    '',
    'Each pool is `mulligan run --pool FIRST,SECOND -- "Say hi."` without further flags, each CLI with its own retries as',
    'it comes. The vendor of the first refuses every request or does not listen; the second must answer. Made by',
    '`npm run lab:matrix -- --pools --write`.',
    '',
    'A failure that is likely to pass is retried twice before the next CLI is asked, so a 500 or a lost connection costs three runs',
    "of the first, each with the CLI's own retries as far as they are allowed.",
    '',
    `${versions.join(', ')}.`,
    '',
    summary,
    '',
    '| refusal | first | taken for | effect | verdict | answered by | time |',
    '|---|---|---|---|---|---|---|',
    ...outcomes.map(line),
    END,
  ].join('\n')
  return { summary, section }
}

/** The document with this section in place of the one it has, or at its end. */
export function withPools(document: string, section: string): string {
  const from = document.indexOf(BEGIN)
  const to = document.indexOf(END)
  if (from < 0 || to < from) return `${document.trimEnd()}\n\n${section}\n`
  return `${document.slice(0, from)}${section}${document.slice(to + END.length)}`
}

/**
 * The section with these rows in place of those of the same pools, and the rows of pools that it did not have; its other
 * rows stay as they were measured.
 */
export function withRows(
  section: string,
  outcomes: readonly PoolOutcome[],
  packages: Record<CliName, { name: string; version: string }>,
): string {
  const mine = new Map(outcomes.map(outcome => [poolOf(line(outcome)), line(outcome)]))
  const before = section.split('\n').filter(text => / s \|$/.test(text))
  const known = new Set(before.map(poolOf))
  const added = [...mine].filter(([pool]) => !known.has(pool)).map(([, row]) => row)
  const rows = [...before.map(row => mine.get(poolOf(row)) ?? row), ...added]
  const answered = rows.filter(row => !row.includes('**')).length
  const whole = poolReport([], packages).section.replace('0 of 0', `${answered} of ${rows.length}`)
  return whole.replace(END, [...rows, END].join('\n'))
}

/** Refusal and first CLI, which name a pool. */
function poolOf(row: string): string {
  return row.split('|').slice(1, 3).join('|')
}

/** The section of a document; undefined if it has none. */
export function poolsIn(document: string): string | undefined {
  const from = document.indexOf(BEGIN)
  const to = document.indexOf(END)
  return from < 0 || to < from ? undefined : document.slice(from, to + END.length)
}

function line(outcome: PoolOutcome): string {
  const { refusal, first, failure, effect, verdict, answeredBy, durationMs } = outcome
  const answered = isAnswered(outcome) ? answeredBy : `**${answeredBy ?? 'nobody'}**`
  return `| ${refusal} | ${first} | ${failure} | ${effect} | ${verdict} | ${answered} | ${(durationMs / 1_000).toFixed(1)} s |`
}
