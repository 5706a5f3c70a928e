/** Joins lines that were one before a terminal or a program wrapped them. Blank lines separate paragraphs. */
export function unwrapped(lines: readonly string[]): string[] {
  const joined: string[] = []
  let isOpen = false
  lines.forEach((line, index) => {
    const text = line.trim()
    const before = joined.at(-1)
    if (text === '') isOpen = before !== undefined && /:$/.test(before)
    else if (isOpen && before !== undefined && continues(before, text, lines[index - 1] ?? '', lines)) {
      joined[joined.length - 1] = `${before} ${text}`
    } else {
      joined.push(text)
      isOpen = true
    }
  })
  return joined
}

/**
 * True if a line goes on with what stands before it.
 * @param before what was joined so far, and `above` its last line
 */
export function continues(
  before: string,
  line: string,
  above: string,
  lines: readonly string[] = [],
): boolean {
  if (/[:=]$/.test(before)) return true
  if (/[.!?;…}\]]$/.test(before) || OPENS.test(line)) return false
  if (CONNECTS.test(before)) return true
  if (FIGURES.test(line)) return false
  if (/^[\p{Ll}\d("'`“]/u.test(line) && hadNoRoom(line, above)) return true
  return isFull(above, line, lines)
}

/** `pid 4411, 12 open files`: figures about the statement, not its rest. */
const FIGURES = /^[a-z_]{1,20}[ =:]\s?\d[\w.]*(?:,|\s+\w+=|$)/i
/** The start of a statement of its own: an error, a bullet, a log line, `key: value`, JSON. */
const OPENS =
  /^(?:[-*•✖✗❌>→$#] |\d+[.:)] |[{[<]|\d{4}-\d\d|\d\d:\d\d|(?:\w[\w.$]{0,60})?(?:error|exception|panic|fatal|warning|warn|info|debug)\b|[\w .-]{1,24}[:=] ?|caused by\b|at \S)/i

/** A line that ends in one of these is not over. */
const CONNECTS =
  /(?:[,(–—/-]|(?:^|\s)(?:a|an|the|of|to|for|in|on|at|by|with|and|or|but|not|no|is|was|were|are|be|been|has|have|had|from|into|your|its|this|that|as|than|when|while|because|after|before|could|cannot|did|does|will|would|should|model|provider|error))$/i

/** False if the line is so long that its first word would have stood in the line above. */
function hadNoRoom(line: string, above: string): boolean {
  return above.trim().length + 1 + (line.split(' ', 1)[0] ?? '').length > line.length
}

/** True if the first word of the line had no room above, in a text whose lines are all about as long. */
function isFull(above: string, line: string, lines: readonly string[]): boolean {
  const widest = Math.max(...lines.map(each => each.length))
  const word = line.split(' ', 1)[0] ?? ''
  return (
    widest >= 30 && above.length < widest + 1 && above.length + 1 + word.length > widest && lines.length > 2
  )
}
