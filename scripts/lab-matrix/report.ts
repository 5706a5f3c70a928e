import type { Expectation } from '../../lab/fault/fault.ts'
import type { FailureClass, FailureKind } from '../../src/failure/failure.ts'
import { durationInWords } from '../../src/verdict/duration-words.ts'
import { HIDDEN, hiddenIn, OTHERWISE } from './expected.ts'
import type { CliName } from './install.ts'

/** One run of a CLI against one fault, with its grade. */
export interface MatrixRow {
  cli: CliName
  /** Name of the fault; `none` for a healthy vendor. */
  fault: string
  /** The CLI's own retries: off where possible, or the defaults of `mulligan run`. */
  retries: 'off' | 'own'
  exit: string
  got: { class: FailureClass; kind: FailureKind } | null
  expected: Expectation | null
  classRight: boolean
  kindRight: boolean
  retryAfterMs: number | undefined
  /** The same in words, for a run that was read from a file. */
  statedWait?: string
  calls: number
  durationMs: number
  /** Whether it ended within its budget plus grace. */
  inBudget: boolean
  leftBehind: number
}

/**
 * The figures in a few lines, the matrix as a document, and every run as lines of a CSV file.
 * @param date when it was measured, as 2026-11-16
 */
export function reportOf(
  rows: readonly MatrixRow[],
  packages: Record<CliName, { name: string; version: string }>,
  date: string,
): { summary: string; markdown: string; csv: string } {
  const share = (right: number, of: number) =>
    `${right} of ${of} (${((100 * right) / Math.max(1, of)).toFixed(1)} %)`
  const shown = rows.filter(({ cli, fault }) => hiddenIn(cli, fault) === undefined)
  const hiddenRows = rows.filter(row => !shown.includes(row))
  const right = (some: readonly MatrixRow[]) => some.filter(row => row.classRight).length
  const careful = hiddenRows.filter(
    ({ cli, fault, got, classRight }) => classRight || got?.class === hiddenIn(cli, fault)?.careful,
  )
  const summary = [
    `- right class: ${share(right(rows), rows.length)}`,
    `- right class where anything shows the cause: ${share(right(shown), shown.length)}`,
    `- right class and kind: ${share(rows.filter(row => row.classRight && row.kindRight).length, rows.length)}`,
    `- cause hidden by the CLI: ${hiddenRows.length} runs; Mulligan answered as a careful engineer would in ${careful.length}`,
    `- ran past the time limit: ${rows.filter(row => !row.inBudget).length}`,
    `- processes left behind: ${rows.reduce((sum, row) => sum + row.leftBehind, 0)}`,
  ].join('\n')
  const markdown = [
    '# Lab matrix: real agent CLIs against the lab',
    '',
    'We run seven real agent CLIs offline, break their vendor in every way the lab knows and in many it does not, and check what',
    'Mulligan makes of each run. `npm run lab:matrix -- --write` repeats this; it is not part of `npm test`, because the CLIs are',
    'large.',
    '',
    `Last run: ${date}. Rows that were not repeated then keep an earlier result.`,
    '',
    summary,
    '',
    ...figuresOf(rows, packages),
    '',
    'The fault hits every model call. The last two columns come from the runs with own retries on: requests until a run that only',
    'ever gets a 500 ended, and the median time until a run ended, start of the CLI included, on two busy cores.',
    '',
    '## Faults nobody had tuned for',
    '',
    'The right class of a new fault is written down before its first run, and the first result stays here, whatever we fix later.',
    '',
    '| new faults | first run, before any fix |',
    '|---|---|',
    ...FIRST_SIGHT.map(({ what, right: first, of }) => `| ${what} | ${share(first, of)} |`),
    '',
    '## Waiting',
    '',
    'Each CLI meets a usage limit between two turns of one prompt, under `mulligan run --queue` and a daemon. All seven went on in the',
    `same session after the limit lifted and paid for the first turn once: ${WAITED}.`,
    '`node scripts/lab-matrix/wait.ts` repeats this.',
    '',
    'A session of Claude Code that a person had started was continued in the same session, once per limit, after `mulligan install',
    'claude --continue`: stopped in a `-p` run; left with `/exit`; stopped, resumed by the person and stopped again; stopped again when',
    'the daemon had continued it. `node scripts/lab-matrix/continue.ts` repeats this.',
    '',
    '## Where the fault is not what happens',
    '',
    ...otherwise(),
    '',
    '## What CLIs hide',
    '',
    'Nothing we can read shows the cause of these runs, so they count as wrong:',
    '',
    ...hidden(),
    '',
    'Every run is in [lab-matrix.csv](lab-matrix.csv): with own retries off (where the CLI allows it) and on (as `mulligan run` starts',
    'it), exit code, result, stated wait, time and number of model calls. `scripts/lab-matrix/` has the faults that the lab lacks.',
    '',
  ].join('\n')
  return { summary, markdown, csv: [COLUMNS, ...rows.map(line), ''].join('\n') }
}

/** How new faults did when they were first run. */
const FIRST_SIGHT = [
  { what: '26 of accounts, edges and dying servers, × 7 CLIs, November 2026', right: 170, of: 182 },
  { what: '10 of networks, meshes and small servers, × 7 CLIs, November 2026', right: 64, of: 70 },
]

/** Seconds between the end of a limit and the next request, as `wait.ts` printed them on a busy machine. */
const WAITED = 'claude 4 s, codex 10 s, opencode 19 s, gemini 26 s, kimi 16 s, qwen 19 s, copilot 20 s later'

/** The share of right classes by CLI, with requests and time. */
function figuresOf(
  rows: readonly MatrixRow[],
  packages: Record<CliName, { name: string; version: string }>,
): string[] {
  const right = (some: readonly MatrixRow[]) =>
    some.length === 0 ? '–' : `${some.filter(row => row.classRight).length} of ${some.length}`
  const line = (name: string, version: string, some: readonly MatrixRow[]) => {
    const own = some.filter(row => row.retries === 'own')
    const at500 = own.filter(row => row.fault === 'server_error').map(({ calls }) => calls)
    const cells = [right(some.filter(row => row.retries === 'off')), right(own)]
    return `| ${[name, version, ...cells, at500.length === 1 ? at500[0] : '', secondsOf(own)].join(' | ')} |`
  }
  return [
    '| CLI | version | right class, own retries off | own retries on | requests at a lasting 500 | median time |',
    '|---|---|---|---|---|---|',
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

function secondsOf(rows: readonly MatrixRow[]): string {
  const all = rows.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b)
  const middle = all[Math.floor(all.length / 2)]
  return middle === undefined ? '' : `${Math.round(middle / 1_000)} s`
}

/** What CLIs hide, once for all with the same reason. */
function hidden(): string[] {
  const runs = new Map<string, string[]>()
  for (const { faults, cli, why } of HIDDEN)
    runs.set(why, [...(runs.get(why) ?? []), ...faults.map(fault => `${cli} ${fault}`)])
  return [...runs].map(([why, names]) => `- ${names.join(', ')}: ${why}.`)
}

/** What really happens instead of the fault, once for all CLIs with the same reason. */
function otherwise(): string[] {
  const clis = new Map<string, string[]>()
  for (const { fault, cli, expected, why } of OTHERWISE) {
    const text = `${words(expected)}, because ${why}`
    clis.set(`${fault}: ${text}`, [...(clis.get(`${fault}: ${text}`) ?? []), cli])
  }
  return [...clis].map(([text, names]) => `- ${text} (${names.join(', ')}).`)
}

const COLUMNS = 'fault,cli,retries,exit,found,stated wait,expected,right,ms,calls'

function line(row: MatrixRow): string {
  const right = row.classRight ? (row.kindRight ? 'yes' : 'class') : 'no'
  const wait = row.statedWait ?? (row.retryAfterMs === undefined ? '' : durationInWords(row.retryAfterMs))
  const { fault, cli, retries, exit, durationMs, calls } = row
  return [
    fault,
    cli,
    retries,
    exit,
    words(row.got),
    wait,
    words(row.expected),
    right,
    Math.round(durationMs),
    calls,
  ].join(',')
}

/** The runs that an earlier report has. None of them left a process behind, else it would not have been written. */
export function runsIn(csv: string, budgetMs: number): MatrixRow[] {
  return csv
    .split('\n')
    .filter(row => row !== '' && row !== COLUMNS)
    .map(row => {
      const [fault = '', cli = '', retries, exit = '', got = '', wait = '', wanted = '', right, ms, calls] =
        row.split(',')
      return {
        fault,
        cli: cli as CliName,
        retries: retries === 'own' ? 'own' : 'off',
        exit,
        got: wordsIn(got),
        expected: wordsIn(wanted),
        classRight: right !== 'no',
        kindRight: right === 'yes',
        retryAfterMs: undefined,
        statedWait: wait,
        calls: Number(calls),
        durationMs: Number(ms),
        inBudget: Number(ms) < budgetMs,
        leftBehind: 0,
      }
    })
}

function wordsIn(text: string): Expectation | null {
  const [cls, kind] = text.split('/')
  return kind === undefined ? null : { class: cls as FailureClass, kind: kind as FailureKind }
}

function words(what: { class: string; kind: string } | null): string {
  return what === null ? 'success' : `${what.class}/${what.kind}`
}
