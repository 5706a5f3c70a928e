/** Unchanged lines shown before and after a change. */
const AROUND = 2

/** A line diff of two texts: one block from the first change to the last, with a few lines of context. */
export function lineDiff(before: string, after: string): string {
  const [old, made] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < old.length && start < made.length && old[start] === made[start]) start += 1
  let end = 0
  while (
    end < old.length - start &&
    end < made.length - start &&
    old[old.length - 1 - end] === made[made.length - 1 - end]
  )
    end += 1
  const lines = [
    ...old.slice(Math.max(0, start - AROUND), start).map(line => `  ${line}`),
    ...changes(old.slice(start, old.length - end), made.slice(start, made.length - end)),
    ...old.slice(old.length - end, old.length - end + AROUND).map(line => `  ${line}`),
  ]
  return lines.join('\n')
}

/** Marks lines as added, removed or unchanged; unchanged lines are those that recur in the same order. */
function changes(old: readonly string[], made: readonly string[]): string[] {
  const lines: string[] = []
  let added: string[] = []
  let at = 0
  // Removed lines stand before those that replace them, as in any diff.
  const change = (end?: number) => {
    lines.push(...old.slice(at, end).map(line => `- ${line}`), ...added)
    added = []
  }
  for (const line of made) {
    const same = old.indexOf(line, at)
    if (same === -1) added.push(`+ ${line}`)
    else {
      change(same)
      lines.push(`  ${line}`)
      at = same + 1
    }
  }
  change()
  return lines
}

function linesOf(text: string): string[] {
  if (text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}
