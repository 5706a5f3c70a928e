import { compilePattern } from '../failure/signature-pattern.ts'
import { COMMON_FAILURES } from './common-failures.ts'
import { type Run, stableRuns } from './stable-words.ts'

/** What one occurrence of a failure said. */
export interface SampleText {
  /** Its one line. */
  message: string
  /** More of what it said; the pattern is looked for here. Default the message. */
  text?: string | undefined
}

/** A pattern that recognises the samples, or why there is none: then their fingerprint alone does. */
export type Proposal = { pattern: string; none?: undefined } | { pattern?: undefined; none: string }

/** More words make a pattern longer, and not more certain. */
const MOST_WORDS = 24
/** A pattern with fewer telling words, or shorter ones, would meet failures that are something else. */
const LEAST_TELLING = 3
const LEAST_LETTERS = 12

/** Words that say nothing about which failure it is. */
const COMMON_WORDS = new Set(
  `a again after all an and any api are argument as at attempt back be because been before but by call called calling
  can cannot caused cli client code command connection could data details did do does due during error errors exceeded exception
  exit exited expected fail failed failing failure fatal file for found from get got had has have help http https if in info
  information internal invalid is issue it its json last later limit limited line log may message missing model more most must name no node
  not null object of on one only open operation or out output panic parameter please possible problem process provided
  python reason received recent request requested requests rate response result retry retrying return returned run running
  sdk see server session set some something sorry stack state status string support system that the then thread there they this time to too
  trace traceback true try trying type unable undefined unexpected unknown unsupported until us use used user using value
  want warn warning was we went were when where which while will with worker would wrong you your`.split(
    /\s+/,
  ),
)

/**
 * Proposes a pattern from samples of one failure: the words that all of them have, without ids, numbers, times and paths.
 * It matches all samples and no failure that everybody has met; where no such pattern can be made it says why.
 */
export function proposeSignature(samples: readonly SampleText[]): Proposal {
  if (samples.length === 0) return { none: 'there is no sample of it' }
  const runs = shortened(stableRuns(samples.map(({ message }) => message)).filter(run => run.some(isTelling)))
  const telling = new Set(runs.flat().filter(isTelling))
  const letters = [...telling].reduce((sum, word) => sum + word.length, 0)
  if (telling.size < LEAST_TELLING || letters < LEAST_LETTERS)
    return { none: `what its samples have in common (${wordsOf(runs)}) could stand in any failure` }
  for (const between of BETWEEN) {
    const pattern = runs.map(run => edged(run.join(between))).join('.*')
    const regex = compiled(pattern)
    if (!regex || !samples.every(({ message, text = message }) => regex.matcher(text).find())) continue
    const common = COMMON_FAILURES.find(failure => regex.matcher(failure.text).find())
    return common ? { none: `it would also take "${common.text}" for this failure` } : { pattern }
  }
  return { none: 'its line is put together from parts, so that no pattern finds it in what was printed' }
}

/** What may stand between two words: the plainest that finds all samples. */
const BETWEEN = [' ', '\\W+', '[\\W_]+']

function compiled(pattern: string) {
  try {
    return compilePattern('', pattern)
  } catch {
    return undefined
  }
}

/** Whole words only, where the matcher knows what a word is. */
function edged(run: string): string {
  return `${/^\w/.test(run) ? '\\b' : ''}${run}${/\w$/.test(run) ? '\\b' : ''}`
}

function isTelling(word: string): boolean {
  return !COMMON_WORDS.has(word) && (word.length >= 3 || /[^\x00-\x7f]{2}/.test(word))
}

function shortened(runs: readonly Run[]): Run[] {
  let left = MOST_WORDS
  return runs.flatMap(run => {
    const kept = run.slice(0, left)
    left -= kept.length
    return kept.length > 0 ? [kept] : []
  })
}

function wordsOf(runs: readonly Run[]): string {
  const words = runs.flat().join(' ')
  return words === '' ? 'no word that tells' : `"${words}"`
}
