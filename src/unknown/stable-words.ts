import { shapeOf } from '../failure/fingerprint/shape.ts'
import { REDACTED } from '../failure/redact.ts'

/** Words that are adjacent in all samples. Anything may come between two runs. */
export type Run = readonly string[]

/** The fingerprint's placeholders for parts that differ between occurrences. */
const VARIABLE = new Set(['#', 'url', 'mail', 'path', 'quoted', 'host', 'id'])
/** Marks a text that was cut, maybe in the middle of a word. */
const CUT = /…$/

/** The words that all texts share, in order, as runs. Leaves out ids, numbers, times, paths and secrets. */
export function stableRuns(texts: readonly string[]): readonly Run[] {
  const [first = [], ...others] = texts.map(runsOf)
  return others.reduce<readonly Run[]>(commonRuns, first)
}

function runsOf(text: string): Run[] {
  const isCut = CUT.test(text)
  const words = shapeOf(text.replaceAll(REDACTED, ' 0 ')).split(' ')
  if (isCut) words.pop()
  const runs: string[][] = [[]]
  for (const word of words) {
    if (VARIABLE.has(word)) runs.push([])
    else if (word !== '') (runs.at(-1) as string[]).push(word)
  }
  return runs.filter(run => run.length > 0)
}

/** The longest common subsequence of two texts, split where either has other words in between. */
function commonRuns(a: readonly Run[], b: readonly Run[]): Run[] {
  const [left, right] = [placed(a), placed(b)]
  const width = right.length + 1
  const longest = new Uint16Array((left.length + 1) * width)
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      longest[i * width + j] =
        left[i]?.word === right[j]?.word
          ? (longest[(i + 1) * width + j + 1] as number) + 1
          : Math.max(longest[(i + 1) * width + j] as number, longest[i * width + j + 1] as number)
  const runs: string[][] = []
  let before: { i: number; j: number } | undefined
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    if (left[i]?.word === right[j]?.word) {
      const isNext = before?.i === i - 1 && before.j === j - 1 && !left[i]?.begins && !right[j]?.begins
      if (!isNext) runs.push([])
      ;(runs.at(-1) as string[]).push(left[i]?.word as string)
      before = { i, j }
      i++
      j++
    } else if ((longest[(i + 1) * width + j] as number) >= (longest[i * width + j + 1] as number)) i++
    else j++
  }
  return runs
}

function placed(runs: readonly Run[]): { word: string; begins: boolean }[] {
  return runs.flatMap(run => run.map((word, index) => ({ word, begins: index === 0 })))
}
