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

/**
 * Removes what a logger writes in front of a message: time, level, process, place. The level stays as `error: `, because
 * it says which line carries a failure. Of `key=value` fields it keeps what they say.
 */
export function messageOfLog(line: string): string {
  if (!/[\d=]/.test(line)) return line
  const { rest, isError } = MAY_BE_LOG.test(line) ? withoutPrefix(line) : { rest: line, isError: false }
  const said = rest.includes('=') && FIELDS.test(rest) ? saidInFields(rest) : rest
  return isError && !/^\W*error\b/i.test(said) ? `error: ${said}` : said
}

/** A digit, a bracket, a capital or a field near the start. */
const MAY_BE_LOG = /^\W{0,3}(?:\d|[A-Z])/

function withoutPrefix(line: string): { rest: string; isError: boolean } {
  let rest = line.trimStart()
  let isError = false
  let isDated = false
  for (let parts = 0; parts < 6; parts++) {
    const [whole, level] = LEVEL.exec(rest) ?? []
    const dated = TIME.exec(rest)?.[0] ?? KLOG.exec(rest)?.[0]
    const part = dated ?? (isDated ? PROCESS.exec(rest)?.[0] : undefined) ?? whole
    if (part === undefined || part.length === rest.length) break
    isDated ||= dated !== undefined
    isError ||= (dated !== undefined && /^[EF]\d/.test(dated)) || (dated === undefined && isBad(level))
    rest = rest.slice(part.length)
  }
  // A level alone may be the name of what went wrong: `ERROR 1302`.
  return isDated ? { rest, isError } : { rest: line, isError: false }
}

function isBad(level: string | undefined): boolean {
  return level !== undefined && /^(?:err|fatal|crit|sev|panic|f)/i.test(level)
}

/** `2026-05-06 18:48:35,561 - `, `[03/01 10:11:12] `, `Mar  1 10:11:12 `, `10:11:12.3 PM `, `+3ms `. */
const TIME =
  /^[[(]?(?:(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?(?:[-/.]\d{2,4})?|(?:[A-Z][a-z]{2},? )?[A-Z][a-z]{2} {1,2}\d{1,2}(?:,? \d{4})?)(?:[T_ ,]{1,2}| at ))?\d\d?[:_]\d\d(?:[:_]\d\d)?(?:[.,_]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d|UTC|GMT|[AaPp]\.?[Mm]\b\.?))?[\])]?(?:[\s|:–—-]+|$)|^\+\d+(?:\.\d+)?(?:ms|s)\s+|^\[\s{0,9}\d{1,9}\.\d{3,9}\]\s*/
/** `E0412 09:11:02.123456    4411 plan.go:88] `. */
const KLOG = /^[EWIF]\d{4} \d\d:\d\d:\d\d\.\d{1,9}\s+\d{1,9} [\w.-]{1,80}:\d{1,6}\]\s*/
const LEVEL =
  /^[[(<]?(TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|FATAL|CRIT(?:ICAL)?|SEVERE|PANIC|error|err|warn(?:ing)?|info|debug|fatal|E|W|F|I)[\])>]?(?:\s*[|:–—-]\s*|\s+|(?=\[))/
/** `[pid 4411] `, `[12:8] `, `4411 --- [main] `. */
const PROCESS =
  /^(?:[[(]?(?:pid|tid|thread)[ =:#]?\d{1,9}[\])]?|\[\d{1,9}(?::\d{1,9})?\]|\d{1,9} ---|\[(?:main|worker|thread|pool|http|nio|exec)[\w:. #-]{0,60}\])[\s:|-]*/i

/** Two `key=value` fields. */
const FIELDS = /(?<![\w"'])[\w.-]{1,40}=(?:"[^"]*"|\S+)\s+(?:.{0,200}\s)?[\w.-]{1,40}=\S/
/** The fields that say what happened; the value of the last one may have spaces. */
const SAYING =
  /(?<![\w.])(?:msg|message|error|err|exception|cause|detail)=(?:"((?:[^"\\]|\\.){1,2000})"|((?:(?!\s[\w.-]{1,40}=).){1,2000}))/gi
const NAMING = /(?<![\w.])(?:[a-z]{1,20}[_.])?(?:code|reason|kind|errno)=\S{1,80}/gi

/** What the fields say, their codes behind it; the line if none says something. */
function saidInFields(line: string): string {
  const said = [...line.matchAll(SAYING)].map(([, quoted, bare = '']) => quoted ?? bare)
  if (said.length === 0) return line
  const before = line.slice(0, line.search(/(?<![\w"'])[\w.-]{1,40}=/)).trim()
  return [before, ...said, ...(line.match(NAMING) ?? [])].filter(part => part !== '').join(' ')
}
