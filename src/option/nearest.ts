/** Words that had other names before, or have them elsewhere. */
const RENAMED: Readonly<Record<string, string>> = {
  repeatable: 'retry',
  'not-repeatable': 'retry',
  verifiable: 'retry',
  key: 'credential',
  api_key: 'credential',
  token: 'credential',
  url: 'base_url',
  endpoint: 'base_url',
}

/**
 * The known word nearest to a mistyped one, if one is near: it is the new name, at most a third of its letters are wrong, it begins the same
 * (`maxRetry`, `maxRetries`), or one contains the other (`retries`, `maxRetries`).
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const renamed = Object.hasOwn(RENAMED, word) ? RENAMED[word] : undefined
  if (renamed !== undefined && known.includes(renamed)) return renamed
  let best: string | undefined
  let least = Infinity
  const most = Math.max(1, Math.floor(word.length / 3))
  for (const candidate of known) {
    // Too long to be near. Strangers choose words too, and comparing one of ten million letters would never end.
    if (word.length - candidate.length > most) continue
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    // For a one-letter word, another letter is not a misspelling.
    if (distance >= least || distance >= word.length) continue
    if (distance > most && !isAlike(word, candidate)) continue
    least = distance
    best = candidate
  }
  return best
}

/** How to fix an unknown word, for a message: the one that was probably meant, all known ones, or what helps if there are none. */
export function nearestOrKnown(word: string, known: readonly string[], ifNone = 'there are none'): string {
  const guess = nearest(word, known)
  if (guess !== undefined) return `did you mean ${JSON.stringify(guess)}?`
  return known.length > 0 ? `known: ${known.join(', ')}` : ifNone
}

/** Shorter words are alike too often by chance. */
const SHORTEST_ALIKE = 4

function isAlike(word: string, candidate: string): boolean {
  if (word.length < SHORTEST_ALIKE) return false
  const [a, b] = [word.toLowerCase(), candidate.toLowerCase()]
  const beginning = a.slice(0, Math.ceil((a.length * 3) / 4))
  return b.startsWith(beginning) || b.includes(a)
}

/** The number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const above = rows[i - 1] as number[]
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(
        (above[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (above[j - 1] as number) + (same ? 0 : 1),
      )
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, ((rows[i - 2] as number[])[j - 2] as number) + 1)
      }
      row.push(cost)
    }
    rows.push(row)
  }
  return (rows[a.length] as number[])[b.length] as number
}
