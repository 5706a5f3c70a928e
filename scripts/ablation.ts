import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type CorpusEntry, inputOf, parseCorpus } from '../src/cli/develop/corpus.ts'
import { type Graded, type Grades, grade, predictionOf } from '../src/cli/develop/grade.ts'
import { compileCatalogue } from '../src/failure/catalogue/compile.ts'
import { CATALOGUE, PARTS } from '../src/failure/catalogue/index.ts'
import type { Rule } from '../src/failure/catalogue/rule.ts'
import { classify, withCatalogue } from '../src/failure/classify.ts'
import { without } from '../test/failure/catalogue/without.ts'

/** What the catalogue is worth, in parts and rule by rule, on labelled failures. `--rules` lists what each rule changes. */

const root = fileURLToPath(new URL('..', import.meta.url))

/** The sets of this repository, and of the folder beside it where there is one. */
export function labelled(): Map<string, CorpusEntry[]> {
  const folders = ['corpus', join('..', 'shared', 'corpus')].map(folder => join(root, folder))
  return new Map(
    folders
      .filter(existsSync)
      .flatMap(folder => readdirSync(folder).map(file => join(folder, file)))
      .filter(file => file.endsWith('.jsonl'))
      .map(file => [basename(file, '.jsonl'), parseCorpus(readFileSync(file, 'utf8'), file)]),
  )
}

function answered(entries: readonly CorpusEntry[]): Graded[] {
  return entries.map(entry => {
    const [input, context] = inputOf(entry, { withProvider: true })
    return { entry, prediction: predictionOf(entry.id, classify(input, context), context.now) }
  })
}

/** The grades of a set with these rules only. */
export function gradesWith(rules: readonly Rule[], entries: readonly CorpusEntry[]): Grades {
  return withCatalogue(compileCatalogue(rules), () => grade(answered(entries)))
}

const NAMES: Readonly<Record<keyof typeof PARTS, string>> = {
  language: 'how failures are worded in general',
  status: 'statuses, system codes, exits',
  typed: 'kinds that a program states itself',
  tools: 'databases, clients, programs, services',
  vendor: 'model vendors and SDKs',
  cli: 'agent CLIs',
}

/** Newest first. Rules were mended after each of them, least after the first. */
const SHOWN = ['blind-mixed-10', 'blind-mixed-4', 'own']

/** The table behind docs/accuracy-parts.csv: a row for each part, with what is left without it beside what it gives alone. */
export function ablationTable(): string {
  const sets = labelled()
  const deciding = new Set(leaveOneOut().flatMap(({ id, changed }) => (changed > 0 ? [id] : [])))
  const figures = (rules: readonly Rule[], set: string) => {
    const { classAccuracy, decisionAccuracy, falseRetryRate } = gradesWith(rules, sets.get(set) ?? [])
    return [classAccuracy, decisionAccuracy, falseRetryRate].map(percent).join(' · ')
  }
  const rows = Object.entries(PARTS).map(([part, rules]: [string, readonly Rule[]]) => {
    const others = CATALOGUE.filter(rule => !rules.includes(rule))
    const decide = rules.filter(({ id }) => deciding.has(id)).length
    const cells = SHOWN.flatMap(set => [figures(others, set), figures(rules, set)])
    const kilobytes = (gzipped(CATALOGUE) - gzipped(others)).toFixed(1)
    return [`${NAMES[part as keyof typeof PARTS]}`, `${decide} of ${rules.length}`, kilobytes, ...cells]
  })
  const whole = SHOWN.flatMap(set => [figures(CATALOGUE, set), ''])
  return [
    [
      'class · decision · false retry, %',
      'rules that decide',
      'kB in a bundle, gzipped',
      ...SHOWN.flatMap(set => [`\`${set}\` without it`, 'it alone']),
    ],
    ['---', '---', '---', ...SHOWN.flatMap(() => ['---', '---'])],
    ['nothing left out', `${deciding.size} of ${CATALOGUE.length}`, gzipped(CATALOGUE).toFixed(1), ...whole],
    ...rows,
  ]
    .map(row => `| ${row.join(' | ')} |`)
    .join('\n')
}

/** Kilobytes that rules take in a bundle. */
function gzipped(rules: readonly Rule[]): number {
  return gzipSync(JSON.stringify(compileCatalogue(rules))).length / 1_000
}

function percent(share: number | null): string {
  return share === null ? '–' : (share * 100).toFixed(1)
}

/** One line per set: every figure, for all entries and for those of high confidence. */
export function figures(): string {
  return Array.from(labelled(), ([set, entries]) => {
    const all = answered(entries)
    const line = (graded: readonly Graded[]) => {
      const { classAccuracy, kindAccuracy, decisionAccuracy, falseRetryRate, retryAfterAccuracy } =
        grade(graded)
      const isNone = ({ entry }: Graded) => entry.label.class === 'none'
      const hidden = graded.filter(each => !isNone(each) && each.prediction.class === 'none').length
      const alarms = graded.filter(each => isNone(each) && each.prediction.class !== 'none').length
      const shares = [classAccuracy, kindAccuracy, decisionAccuracy, falseRetryRate, retryAfterAccuracy]
      return `${graded.length}: class, kind, decision, false retry, time ${shares.map(percent).join(' ')}, hidden ${hidden}, false alarms ${alarms}`
    }
    const high = all.filter(({ entry }) => entry.confidence === 'high')
    return `${set.padEnd(16)} all ${line(all)}\n${' '.repeat(16)} high ${line(high)}`
  }).join('\n')
}

/** What changes on all sets if a rule is left out: how many answers, how many of them become wrong, and how many right. */
export function leaveOneOut(): { id: string; changed: number; worse: number; better: number }[] {
  const entries = [...labelled().values()].flat()
  const whole = answered(entries)
  const named = namedBy(entries)
  const isRight = ({ entry, prediction }: Graded) => entry.label.class === prediction.class
  const compiled = compileCatalogue(CATALOGUE)
  return CATALOGUE.map(({ id }, rule) => {
    const before = (named.get(id) ?? []).map(index => whole[index] as Graded)
    const after = withCatalogue(without(compiled, rule), () => answered(before.map(({ entry }) => entry)))
    const pairs = before.map((graded, index) => [graded, after[index] as Graded] as const)
    const changed = pairs.filter(([a, b]) => JSON.stringify(a.prediction) !== JSON.stringify(b.prediction))
    return {
      id,
      changed: changed.length,
      worse: changed.filter(([a, b]) => isRight(a) && !isRight(b)).length,
      better: changed.filter(([a, b]) => !isRight(a) && isRight(b)).length,
    }
  })
}

/** By rule: the entries whose evidence names it, as the winner or among what lost. Others cannot depend on it. */
function namedBy(entries: readonly CorpusEntry[]): Map<string, number[]> {
  const named = new Map<string, number[]>()
  entries.forEach((entry, index) => {
    const evidence = classify(...inputOf(entry, { withProvider: true }))?.evidence
    for (const id of evidence ? [evidence.rule, ...evidence.lost.map(({ rule }) => rule)] : [])
      named.set(id, [...(named.get(id) ?? []), index])
  })
  return named
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lines = process.argv.includes('--rules')
    ? leaveOneOut().map(({ id, changed, worse, better }) => `${id} ${changed} ${worse} ${better}`)
    : [ablationTable(), '', figures()]
  process.stdout.write(`${lines.join('\n')}\n`)
}
