import type { CliName } from './install.ts'
import type { PoolOutcome } from './pool.ts'

const BEGIN = '<!-- pools -->'
const END = '<!-- end of pools -->'
const COLUMNS = 'refusal,first,version,classified as,effect,verdict,answered by,right,ms'

type Packages = Readonly<Record<CliName, { version: string }>>

/** Whether the healthy second CLI answered. */
export function isAnswered({ answeredBy, second }: PoolOutcome): boolean {
  return answeredBy === second
}

/** Every pool as lines of a CSV file: these outcomes, and those of `before` that were not run again. */
export function poolsCsv(outcomes: readonly PoolOutcome[], packages: Packages, before = ''): string {
  const lines = outcomes.map(outcome => line(outcome, packages[outcome.first].version))
  const mine = new Map(lines.map(row => [poolOf(row), row]))
  const old = rowsOf(before)
  const known = new Set(old.map(poolOf))
  const added = [...mine].filter(([pool]) => !known.has(pool)).map(([, row]) => row)
  return [COLUMNS, ...old.map(row => mine.get(poolOf(row)) ?? row), ...added, ''].join('\n')
}

/** The result in one line, and the section of the document. */
export function poolReport(csv: string): { summary: string; section: string } {
  const rows = rowsOf(csv)
  const answered = rows.filter(row => row.includes(',yes,')).length
  const summary = `- pools that answered: ${answered} of ${rows.length}`
  const section = [
    BEGIN,
    '## Pools: the first CLI is refused, the second is healthy',
    '',
    '`mulligan run --pool FIRST,SECOND -- "Say hi."`, with nothing else set. The first CLI gets only refusals, or cannot connect; the',
    'second one has to answer. `npm run lab:matrix -- --pools --write` repeats this.',
    '',
    summary,
    '',
    'A 500 or a lost connection is retried twice before the second CLI is asked, so it costs three runs of the first. A cut answer is',
    'first continued in its session; if the model had only talked, the second CLI is asked after that.',
    '[lab-pools.csv](lab-pools.csv) has every pool and the version of its first CLI.',
    END,
  ].join('\n')
  return { summary, section }
}

/** The document with its section replaced, or added at the end. */
export function withPools(document: string, section: string): string {
  const from = document.indexOf(BEGIN)
  const to = document.indexOf(END)
  if (from < 0 || to < from) return `${document.trimEnd()}\n\n${section}\n`
  return `${document.slice(0, from)}${section}${document.slice(to + END.length)}`
}

/** The section of a document; undefined if it has none. */
export function poolsIn(document: string): string | undefined {
  const from = document.indexOf(BEGIN)
  const to = document.indexOf(END)
  return from < 0 || to < from ? undefined : document.slice(from, to + END.length)
}

/** The lines of a CSV file without its head. */
export function rowsOf(csv: string): string[] {
  return csv.split('\n').filter(row => row !== '' && row !== COLUMNS)
}

/** Refusal and first CLI, which identify a pool. */
function poolOf(row: string): string {
  return row.split(',').slice(0, 2).join()
}

function line(outcome: PoolOutcome, version: string): string {
  const { refusal, first, failure, effect, verdict, answeredBy, durationMs } = outcome
  const right = isAnswered(outcome) ? 'yes' : 'no'
  return [
    refusal,
    first,
    version,
    failure,
    effect,
    verdict,
    answeredBy ?? 'none',
    right,
    Math.round(durationMs),
  ].join()
}
