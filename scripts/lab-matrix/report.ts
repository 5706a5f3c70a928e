import type { Expectation } from '../../lab/fault/fault.ts'
import type { FailureClass, FailureKind } from '../../src/failure/failure.ts'
import { durationInWords } from '../../src/verdict/duration-words.ts'
import { HIDDEN, hiddenBecause, OTHERWISE } from './expected.ts'
import type { CliName } from './install.ts'
import { OWN_FAULTS } from './own-faults.ts'

/** One run of a CLI against one fault, judged. */
export interface MatrixRow {
  cli: CliName
  /** Name of the fault; `none` for a healthy vendor. */
  fault: string
  /** The CLI's own retries: switched off where they can be, or as they come with `mulligan run`. */
  retries: 'off' | 'own'
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

/**
 * The figures in a few lines, and the whole matrix as a document.
 * @param date when it was measured, as 2026-11-16
 */
export function reportOf(
  rows: readonly MatrixRow[],
  packages: Record<CliName, { name: string; version: string }>,
  date: string,
): { summary: string; markdown: string } {
  const share = (right: number) =>
    `${right} of ${rows.length} (${((100 * right) / rows.length).toFixed(1)} %)`
  const count = (test: (row: MatrixRow) => boolean) => rows.filter(test).length
  const isHidden = ({ cli, fault }: MatrixRow) => hiddenBecause(cli, fault) !== undefined
  const summary = [
    `- right class: ${share(count(row => row.classRight))}`,
    `- right class and kind: ${share(count(row => row.classRight && row.kindRight))}`,
    `- wrong, because the CLI hides the cause: ${count(row => !row.classRight && isHidden(row))}`,
    `- wrong, although the output says enough: ${count(row => !row.classRight && !isHidden(row))}`,
    `- runs that outlived their budget and its grace: ${count(row => !row.inBudget)}`,
    `- processes left behind: ${rows.reduce((sum, row) => sum + row.leftBehind, 0)}`,
  ].join('\n')
  const markdown = [
    '# The matrix: real agent CLIs against the lab',
    '',
    'Every fault of the lab and some more, met by real agent CLIs that run offline, and how Mulligan classifies the end of',
    'each run. Made by `npm run lab:matrix -- --write`; not part of `npm test`, because the CLIs are large.',
    '',
    `Measured on ${date}, with the newest versions of that day.`,
    '',
    summary,
    '',
    ...figuresOf(rows, packages),
    '',
    'A fault strikes every call of the model. "Calls" counts how often the CLI tried, its side calls included. A class',
    'is right if it is that of what truly happened; kinds are compared with the groups of near-synonyms that grading uses.',
    '',
    'Something else than the fault says truly happens here:',
    '',
    ...OTHERWISE.map(
      ({ fault, cli, expected, why }) => `- ${fault}, ${cli}: ${words(expected)}, because ${why}.`,
    ),
    '',
    'Here a CLI hides what happened, and the run counts as wrong:',
    '',
    ...HIDDEN.map(({ faults, cli, why }) => `- ${faults.join(', ')}, ${cli}: ${why}.`),
    '',
    'Faults that the lab does not have:',
    '',
    ...Object.entries(OWN_FAULTS).map(([name, { summary: what }]) => `- ${name}: ${what}.`),
    '',
    "## With the CLIs' own retries off, where they can be",
    '',
    ...tableOf(rows.filter(({ retries }) => retries === 'off')),
    '',
    '## With the retries that the CLIs come with',
    '',
    'As `mulligan run` starts them. codex uses its built-in provider, which tries WebSockets first and finds none.',
    '',
    ...tableOf(rows.filter(({ retries }) => retries === 'own')),
    '',
  ].join('\n')
  return { summary, markdown }
}

/** How many classes are right, by CLI. */
function figuresOf(
  rows: readonly MatrixRow[],
  packages: Record<CliName, { name: string; version: string }>,
): string[] {
  const right = (some: readonly MatrixRow[]) =>
    some.length === 0 ? '–' : `${some.filter(row => row.classRight).length} of ${some.length}`
  const line = (name: string, version: string, some: readonly MatrixRow[]) =>
    `| ${name} | ${version} | ${right(some.filter(row => row.retries === 'off'))} | ${right(some.filter(row => row.retries === 'own'))} |`
  return [
    '| CLI | version | right class, own retries off | with own retries |',
    '|---|---|---|---|',
    ...[...new Set(rows.map(({ cli }) => cli))].map(cli =>
      line(
        packages[cli].name,
        packages[cli].version,
        rows.filter(row => row.cli === cli),
      ),
    ),
    line('all', '', rows),
  ]
}

function tableOf(rows: readonly MatrixRow[]): string[] {
  return [
    '| fault | CLI | exit | class/kind | says to wait | expected | ok | time | calls |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows.map(line),
  ]
}

function line(row: MatrixRow): string {
  const hidden = hiddenBecause(row.cli, row.fault) === undefined ? '**no**' : '**no**, hidden'
  const ok = row.classRight ? (row.kindRight ? 'yes' : 'class') : hidden
  const wait = row.retryAfterMs === undefined ? '–' : durationInWords(row.retryAfterMs)
  const time = `${(row.durationMs / 1_000).toFixed(1)} s`
  return `| ${row.fault} | ${row.cli} | ${row.exit} | ${words(row.got)} | ${wait} | ${words(row.expected)} | ${ok} | ${time} | ${row.calls} |`
}

function words(what: { class: string; kind: string } | null): string {
  return what === null ? 'success' : `${what.class}/${what.kind}`
}
