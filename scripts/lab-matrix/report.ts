import type { Expectation } from '../../lab/index.ts'
import type { FailureClass, FailureKind } from '../../src/failure/index.ts'
import { inWords } from '../../src/verdict/index.ts'
import type { Otherwise } from './expected.ts'
import type { CliName } from './install.ts'

/** One run of a CLI against one fault, judged. */
export interface MatrixRow {
  cli: CliName
  /** Name of the fault; `none` for a healthy vendor. */
  fault: string
  exit: string
  got: { class: FailureClass; kind: FailureKind } | null
  expected: Expectation | null
  classRight: boolean
  kindRight: boolean
  retryAfterMs: number | undefined
  calls: number
  durationMs: number
  /** Ended within its budget and the grace after it. */
  inBudget: boolean
  leftBehind: number
}

/** The figures in a few lines, and the whole matrix as a document. */
export function reportOf(
  rows: readonly MatrixRow[],
  packages: Record<CliName, { name: string; version: string }>,
  otherwise: readonly Otherwise[],
): { summary: string; markdown: string } {
  const share = (right: number) =>
    `${right} of ${rows.length} (${((100 * right) / rows.length).toFixed(1)} %)`
  const count = (test: (row: MatrixRow) => boolean) => rows.filter(test).length
  const summary = [
    `- right class: ${share(count(row => row.classRight))}`,
    `- right class and kind: ${share(count(row => row.classRight && row.kindRight))}`,
    `- runs that outlived their budget and its grace: ${count(row => !row.inBudget)}`,
    `- processes left behind: ${rows.reduce((sum, row) => sum + row.leftBehind, 0)}`,
  ].join('\n')
  const versions = [...new Set(rows.map(({ cli }) => cli))].map(
    cli => `${packages[cli].name} ${packages[cli].version}`,
  )
  const markdown = [
    '# The matrix: real agent CLIs against the lab',
    '',
    'Every fault of the lab, met by real agent CLIs that run offline against it, and what Mulligan makes of how each',
    'run ended. Made by `npm run lab:matrix -- --write`; it is no part of `npm test`, because the CLIs are large.',
    '',
    `${versions.join(', ')}.`,
    '',
    summary,
    '',
    'A fault strikes every call of the model. "Calls" counts how often the CLI tried, its side calls included. A class',
    'is right if it equals the expected one; kinds are compared with the groups of near-synonyms that grading uses.',
    '',
    'Where a CLI has a limit of its own, or shows nothing of the cause, what can be known of its output is expected:',
    '',
    ...otherwise.map(
      ({ fault, cli, expected, why }) => `- ${fault}, ${cli}: ${words(expected)}, because ${why}.`,
    ),
    '',
    '| fault | CLI | exit | class/kind | says to wait | expected | ok | time | calls |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows.map(line),
    '',
  ].join('\n')
  return { summary, markdown }
}

function line(row: MatrixRow): string {
  const ok = row.classRight ? (row.kindRight ? 'yes' : 'class') : '**no**'
  const wait = row.retryAfterMs === undefined ? '–' : inWords(row.retryAfterMs)
  const time = `${(row.durationMs / 1_000).toFixed(1)} s`
  return `| ${row.fault} | ${row.cli} | ${row.exit} | ${words(row.got)} | ${wait} | ${words(row.expected)} | ${ok} | ${time} | ${row.calls} |`
}

function words(what: { class: string; kind: string } | null): string {
  return what === null ? 'success' : `${what.class}/${what.kind}`
}
