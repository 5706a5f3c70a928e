import { compilePattern } from '../failure/signature-pattern.ts'
import { COMMON_FAILURES } from './common-failures.ts'
import { type Run, stableRuns } from './stable-words.ts'

/** The text of one occurrence of a failure. */
export interface SampleText {
  /** Its message, one line. */
  message: string
  /** The full text; the pattern must match here. Default the message. */
  text?: string | undefined
}

/** A pattern that matches the samples, or the reason why there is none; then only their fingerprint recognises them. */
export type Proposal = { pattern: string; none?: undefined } | { pattern?: undefined; none: string }

/** Most words in a pattern: more make it longer, not more reliable. */
const MOST_WORDS = 24
// A pattern with fewer or shorter distinctive words would match other failures too.
const LEAST_DISTINCTIVE_WORDS = 3
const LEAST_LETTERS = 12

/** Words that appear in all sorts of failures. */
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
 * Proposes a pattern from samples of one failure: the words they share, without ids, numbers, times and paths. It matches
 * all samples and none of {@link COMMON_FAILURES}; if there is no such pattern, it says why.
 */
export function proposeSignature(samples: readonly SampleText[]): Proposal {
  if (samples.length === 0) return { none: 'it has no samples' }
  const runs = shortened(
    stableRuns(samples.map(({ message }) => message)).filter(run => run.some(isDistinctive)),
  )
  const distinctive = new Set(runs.flat().filter(isDistinctive))
  const letters = [...distinctive].reduce((sum, word) => sum + word.length, 0)
  if (distinctive.size < LEAST_DISTINCTIVE_WORDS || letters < LEAST_LETTERS)
    return { none: `the words its samples share (${wordsOf(runs)}) could appear in any failure` }
  for (const between of BETWEEN) {
    const pattern = runs.map(run => edged(run.join(between))).join('.*')
    const regex = compiled(pattern)
    if (!regex || !samples.every(({ message, text = message }) => regex.matcher(text).find())) continue
    const common = COMMON_FAILURES.find(failure => regex.matcher(failure.text).find())
    return common ? { none: `a pattern would also match "${common.text}"` } : { pattern }
  }
  return { none: 'its message does not appear in its output, so no pattern matches' }
}

/** Patterns for the gap between two words, simplest first; the first that matches all samples is used. */
const BETWEEN = [' ', '\\W+', '[\\W_]+']

function compiled(pattern: string) {
  try {
    return compilePattern('', pattern)
  } catch {
    return undefined
  }
}

/** Limits a run to whole words, where its ends are ASCII words. */
function edged(run: string): string {
  return `${/^\w/.test(run) ? '\\b' : ''}${run}${/\w$/.test(run) ? '\\b' : ''}`
}

function isDistinctive(word: string): boolean {
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
  return words === '' ? 'no distinctive word' : `"${words}"`
}
