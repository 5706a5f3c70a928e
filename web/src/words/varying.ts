/** A piece of a sample, and whether it differs from one occurrence to the next. */
export interface Piece {
  text: string
  isVarying: boolean
}

/** Numbers, ids, hashes, times, paths: they vary even if they are equal in all samples. */
const CHANGING = /\d|^[0-9a-f]{8,}$|[/\\]\w|@/i
/** Most words and marks of a sample that are compared; later ones are judged only by their form. */
const MOST_WORDS = 600

/** Splits samples of one failure into pieces that they share and pieces that vary. */
export function piecesOfSamples(samples: readonly string[]): Piece[][] {
  const words = samples.map(sample => sample.split(/(\s+|[()[\]{}<>,;:"'=]+)/).filter(word => word !== ''))
  const [first = [], ...others] = words.map(each => each.slice(0, MOST_WORDS))
  const shared = others.reduce<readonly string[]>(common, first)
  return words.map(each => {
    let at = 0
    const pieces: Piece[] = []
    for (const word of each) {
      const isShared = word === shared[at]
      if (isShared) at += 1
      const isVarying = (!isShared || CHANGING.test(word)) && word.trim() !== ''
      const last = pieces.at(-1)
      if (last && (last.isVarying === isVarying || word.trim() === '')) last.text += word
      else pieces.push({ text: word, isVarying })
    }
    return pieces
  })
}

/** The longest common subsequence of words. */
function common(a: readonly string[], b: readonly string[]): string[] {
  const width = b.length + 1
  const longest = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] =
        a[i] === b[j]
          ? (longest[(i + 1) * width + j + 1] as number) + 1
          : Math.max(longest[(i + 1) * width + j] as number, longest[i * width + j + 1] as number)
  const words: string[] = []
  for (let [i, j] = [0, 0]; i < a.length && j < b.length; )
    if (a[i] === b[j]) {
      words.push(a[i] as string)
      i += 1
      j += 1
    } else if ((longest[(i + 1) * width + j] as number) >= (longest[i * width + j + 1] as number)) i += 1
    else j += 1
  return words
}
