import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inputOf, parseCorpus } from '../src/cli/corpus.ts'
import { type Graded, grade, predictionOf } from '../src/cli/grade.ts'
import { compileCatalogue } from '../src/failure/catalogue/compile.ts'
import http from '../src/failure/catalogue/http.ts'
import { CATALOGUE } from '../src/failure/catalogue/index.ts'
import infra from '../src/failure/catalogue/infra/index.ts'
import language from '../src/failure/catalogue/language/index.ts'
import node from '../src/failure/catalogue/node.ts'
import processes from '../src/failure/catalogue/process.ts'
import type { Rule } from '../src/failure/catalogue/rule.ts'
import vendor from '../src/failure/catalogue/vendor/index.ts'
import { classify, withCatalogue } from '../src/failure/classify.ts'
import cli from '../src/failure/cli/rules.ts'

/** Parts of the catalogue, each measured alone. */
export const PARTS: Readonly<Record<string, readonly Rule[]>> = {
  'all rules': CATALOGUE,
  'language rules alone': language,
  'vendor rules alone (vendors, CLIs, tools)': [...vendor, ...cli, ...infra],
  'statuses, system codes and exits alone': [...http, ...node, ...processes],
}

const SETS = ['own', 'blind-failures', 'blind-envelopes']

/** The grades of one corpus with a part of the catalogue. */
export function gradesWith(rules: readonly Rule[], set: string): ReturnType<typeof grade> {
  const file = fileURLToPath(new URL(`../corpus/${set}.jsonl`, import.meta.url))
  const entries = parseCorpus(readFileSync(file, 'utf8'), file)
  return withCatalogue(compileCatalogue(rules), () =>
    grade(
      entries.map((entry): Graded => {
        const [input, context] = inputOf(entry, { withProvider: true })
        return { entry, prediction: predictionOf(entry.id, classify(input, context), context.now) }
      }),
    ),
  )
}

/** The table for docs/accuracy.md. */
export function ablationTable(): string {
  const percent = (share: number | null) => (share === null ? '–' : `${(share * 100).toFixed(1)} %`)
  const rows = Object.entries(PARTS).map(([name, rules]) => {
    const cells = SETS.map(set => {
      const { classAccuracy, decisionAccuracy, falseRetryRate } = gradesWith(rules, set)
      return [classAccuracy, decisionAccuracy, falseRetryRate].map(percent).join(' · ')
    })
    return `| ${name} (${rules.length}) | ${cells.join(' | ')} |`
  })
  return [
    `| class · decision · false retry | ${SETS.map(set => `\`${set}\``).join(' | ')} |`,
    `|---|${SETS.map(() => '---|').join('')}`,
    ...rows,
  ].join('\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${ablationTable()}\n`)
