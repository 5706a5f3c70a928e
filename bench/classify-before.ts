import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { withVersion } from './earlier-version.ts'
import { figure } from './figures.ts'
import { median } from './measure.ts'

// Classifying every failure of the corpora, beside an earlier version from the history of this repository: each in a
// process of its own, in turns, so that whatever else the machine does meets both alike. Processor time, not the clock.

const ROUNDS = Number(process.env.ROUNDS ?? 15)
/** The last commit before evidence had a speaker. */
const BEFORE = process.env.BEFORE ?? '9ac3a3e2'

const here = fileURLToPath(new URL('..', import.meta.url))
const part = fileURLToPath(new URL('./classify-before-part.ts', import.meta.url))

interface Figures {
  failures: number
  process: number
  thread: number
}

function measure(root: string): Figures {
  return JSON.parse(
    execFileSync(process.execPath, ['--expose-gc', part, root], { encoding: 'utf8' }),
  ) as Figures
}

await withVersion(here, BEFORE, before => {
  const now: Figures[] = []
  const then: Figures[] = []
  for (let round = 0; round < ROUNDS; round++) {
    // Who comes first changes from round to round.
    if (round % 2 === 0) now.push(measure(here))
    then.push(measure(before))
    if (round % 2 === 1) now.push(measure(here))
  }
  const say = (line = '') => process.stdout.write(`${line}\n`)
  say(`${now[0]?.failures} failures, medians of ${ROUNDS} processes each, µs of processor time per failure`)
  say()
  say(`| | now | ${BEFORE} | ratio | middle half of the ratios |`)
  say('|---|---|---|---|---|')
  for (const [title, key] of [
    ['whole process', 'process'],
    ['its main thread', 'thread'],
  ] as const) {
    const [a, b] = [median(now.map(one => one[key])), median(then.map(one => one[key]))]
    const ratios = now
      .map((one, round) => one[key] / (then[round] as Figures)[key])
      .sort((one, other) => one - other)
    const at = (share: number) => ratios[Math.floor(ratios.length * share)]?.toFixed(2)
    figure({
      what: `a failure of the corpora, ${title}`,
      unit: 'µs of processor time',
      better: 'less',
      values: { now: a, [BEFORE]: b },
    })
    say(
      `| ${title} | ${a.toFixed(1)} | ${b.toFixed(1)} | ${(a / b).toFixed(3)} × | ${at(0.25)} … ${at(0.75)} |`,
    )
  }
})
