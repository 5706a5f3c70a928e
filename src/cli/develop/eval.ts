import { resolve } from 'node:path'
import { classify } from '../../failure/classify.ts'
import type { SignatureMap } from '../../failure/signature-map.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { readText, writeText } from '../flag/file.ts'
import { printJson } from '../print/print-json.ts'
import { tableOf } from '../print/table.ts'
import type { Terminal } from '../terminal.ts'
import { type CorpusEntry, inputOf, parseCorpus, unknownKinds } from './corpus.ts'
import { type Graded, type Grades, grade, predictionOf } from './grade.ts'

export const usage = `Usage: mulligan eval FILE.jsonl… [OPTIONS]

Classifies labelled failures and grades the answers. Each line of a file is
  {"id", "provider", "surface", "input", "label": {"class", "kind", "retryAfterMs"}, "confidence"};
docs/accuracy.md says what the fields and the figures mean.

  --by provider|kind     grades per provider, or per labelled kind
  --no-provider          classify without naming the provider
  --config FILE          use the error signatures of this mulligan.toml; default: none, so results do not depend on the
                         folder
  --predictions OUT      write {"id", "class", "kind", "retryAfterMs"} per entry to OUT, as JSON lines
  --fail-under SHARE     exit with 1 if the class is right for less than SHARE (0 to 1) of all entries
  --json                 results as JSON on stdout

Exit codes: 0 graded, 1 below --fail-under or a file cannot be used, 2 wrong usage.`

const OPTIONS = {
  by: { type: 'string' },
  'no-provider': { type: 'boolean' },
  config: { type: 'string' },
  predictions: { type: 'string' },
  'fail-under': { type: 'string' },
  json: { type: 'boolean' },
} as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  if (positionals.length === 0) throw new UsageError('name at least one FILE with labelled failures')
  const by = values.by === undefined ? undefined : groupBy(values.by)
  const floor = values['fail-under'] === undefined ? undefined : shareOf(values['fail-under'])
  const signatures = await signaturesIn(values.config, terminal)
  const graded = positionals.flatMap(file =>
    gradeFile(file, terminal, values['no-provider'] !== true, signatures),
  )
  if (graded.length === 0) throw new UsageError(`no entries in ${positionals.join(', ')}`)
  for (const kind of unknownKinds(graded.map(({ entry }) => entry)))
    terminal.stderr(
      `mulligan eval: a label has kind ${kind}; it counts as a wrong kind, not as a wrong class.\n`,
    )
  if (values.predictions !== undefined) {
    const lines = graded.map(({ prediction }) => `${JSON.stringify(prediction)}\n`)
    writeText(values.predictions, lines.join(''), terminal)
  }
  const all = grade(graded)
  if (values.json)
    printJson(terminal, { ...all, ...parts(graded), ...(by ? { by: groups(graded, by) } : {}) })
  else terminal.stdout(reportOf(all, graded, by))
  if (floor === undefined || (all.classAccuracy as number) >= floor) return 0
  terminal.stderr(
    `mulligan eval: class accuracy ${percent(all.classAccuracy)} is below --fail-under ${percent(floor)}\n`,
  )
  return 1
}

/** The error signatures of the named config, if any. */
async function signaturesIn(
  config: string | undefined,
  { cwd }: Terminal,
): Promise<SignatureMap | undefined> {
  if (config === undefined) return undefined
  // Loaded only now, because the matcher for operators' patterns is large.
  const { loadSignatures } = await import('../../config/signatures.ts')
  return loadSignatures(resolve(cwd, config))
}

function gradeFile(
  file: string,
  terminal: Terminal,
  withProvider: boolean,
  signatures: SignatureMap | undefined,
): Graded[] {
  return parseCorpus(readText(file, terminal), file).map(entry => {
    const [input, context] = inputOf(entry, { withProvider })
    return {
      entry,
      prediction: predictionOf(entry.id, classify(input, { ...context, signatures }), context.now),
    }
  })
}

type GroupBy = (entry: CorpusEntry) => string

function groupBy(value: string): GroupBy {
  if (value === 'provider') return entry => entry.provider ?? 'unknown'
  if (value === 'kind') return entry => `${entry.label.class}/${entry.label.kind ?? 'none'}`
  throw new UsageError(`--by takes provider or kind, not ${JSON.stringify(value)}`)
}

function shareOf(value: string): number {
  const share = Number(value)
  if (value.trim() === '' || !(share >= 0 && share <= 1))
    throw new UsageError(
      `--fail-under takes a share between 0 and 1 such as 0.95, not ${JSON.stringify(value)}`,
    )
  return share
}

function parts(graded: readonly Graded[]): Record<'high' | 'medium', Grades> {
  const of = (confidence: string) => grade(graded.filter(({ entry }) => entry.confidence === confidence))
  return { high: of('high'), medium: of('medium') }
}

function groups(graded: readonly Graded[], by: GroupBy): Record<string, Grades> {
  const grouped = Object.groupBy(graded, ({ entry }) => by(entry))
  return Object.fromEntries(
    Object.entries(grouped).map(([name, members]) => [name, grade(members as Graded[])]),
  )
}

const FIGURES: [keyof Grades, string][] = [
  ['classAccuracy', 'class'],
  ['kindAccuracy', 'kind'],
  ['decisionAccuracy', 'decision'],
  ['falseRetryRate', 'false retry'],
  ['retryAfterAccuracy', 'stated time'],
  ['retryAfterSpecificity', 'no time claimed'],
]

function percent(share: number | null): string {
  return share === null ? '–' : `${(share * 100).toFixed(1)} %`
}

function reportOf(all: Grades, graded: readonly Graded[], by: GroupBy | undefined): string {
  const { high, medium } = parts(graded)
  const columns: [string, Grades][] = [
    ['all', all],
    ['high', high],
    ['medium', medium],
  ]
  const figures = tableOf([
    ['', ...columns.map(([name]) => name)],
    ['entries', ...columns.map(([, grades]) => String(grades.total))],
    ...FIGURES.map(([key, title]) => [
      title,
      ...columns.map(([, grades]) => percent(grades[key] as number | null)),
    ]),
  ])
  const sections = [figures, `Labelled (rows) and answered (columns):\n${confusionTable(all)}`]
  if (by) {
    const rows = Object.entries(groups(graded, by)).sort(
      ([, a], [, b]) => (a.classAccuracy ?? 0) - (b.classAccuracy ?? 0) || b.total - a.total,
    )
    sections.push(
      tableOf([
        ['', 'entries', 'class', 'kind'],
        ...rows.map(([name, grades]) => [
          name,
          String(grades.total),
          percent(grades.classAccuracy),
          percent(grades.kindAccuracy),
        ]),
      ]),
    )
  }
  return `${sections.join('\n\n')}\n`
}

function confusionTable({ confusion }: Grades): string {
  const classes = ['throttle', 'transient', 'timeout', 'permanent', 'rail', 'aborted', 'unknown', 'none']
  return tableOf([
    ['', ...classes],
    ...classes
      .filter(row => confusion[row])
      .map(row => [row, ...classes.map(column => String(confusion[row]?.[column] ?? '·'))]),
  ])
}
