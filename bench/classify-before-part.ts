import { readdirSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { inputOf, parseCorpus } from '../src/cli/develop/corpus.ts'
import { median } from './measure.ts'

// One process of bench/classify-before.ts: classifies all corpora again and again by the sources that it names, and
// prints the processor time of one failure, in microseconds.

const PASSES = 9
const WARM_UP = 4

const [root = ''] = process.argv.slice(2)
const { classify } = (await import(
  pathToFileURL(`${root}/src/failure/index.ts`).href
)) as typeof import('../src/failure/index.ts')

const folder = new URL('../corpus/', import.meta.url)
const questions = readdirSync(folder)
  .filter(name => name.endsWith('.jsonl'))
  .flatMap(name => parseCorpus(readFileSync(new URL(name, folder), 'utf8'), name))
  .map(entry => inputOf(entry, { withProvider: true }))

const whole: number[] = []
const thread: number[] = []
for (let pass = 0; pass < PASSES + WARM_UP; pass++) {
  globalThis.gc?.()
  const before = process.cpuUsage()
  const own = process.threadCpuUsage()
  for (const [input, context] of questions) classify(input, context)
  const { user, system } = process.cpuUsage(before)
  const ours = process.threadCpuUsage(own)
  if (pass < WARM_UP) continue
  whole.push((user + system) / questions.length)
  thread.push((ours.user + ours.system) / questions.length)
}
process.stdout.write(
  JSON.stringify({ failures: questions.length, process: median(whole), thread: median(thread) }),
)
