import { shapeOf } from '../failure/fingerprint.ts'
import { REDACTED } from '../failure/redact.ts'

/** Words that stand next to each other in all samples; between two runs anything may stand. */
export type Run = readonly string[]

/** What stands for something that differs from one occurrence to the next, as the fingerprint writes it. */
const VARIABLE = new Set(['#', 'url', 'mail', 'path', 'quoted', 'host', 'id'])
/** A text that was cut ends amid a word. */
const CUT = /…$/

/** The words that all texts have in common, in their order, as runs. Ids, numbers, times, paths and secrets are none. */
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

/** The longest common sequence of two, broken where either of them has something between. */
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
