/** Recognises stack traces: they quote code, test names and files, so they prove nothing about the failure. */

const PYTHON_FRAME = /^\s*File "[^"\n]{1,300}", line \d+/
const SCRIPT_FRAME =
  /^\s*at (?:async |new )?\S.{0,300}(?::\d+(?::\d+)?\)?|\(<anonymous>\)|\(unknown\)|\(native\)|\(index \d+\))$/
const RUST_FRAME = /^\s*(?:\d{1,3}:\s+(?:0x[0-9a-f]+ - )?\S+(?:::|\()|at \/\S+\.rs:\d+)/
const GO_FRAME = /^\s+\/\S+\.go:\d+(?: \+0x[0-9a-f]+)?$/

/** The top of the box that Python's rich draws around a traceback. */
export const RICH_TRACEBACK = /^\s*╭─+ Traceback\b/

export function isFrame(line: string): boolean {
  const start = line.trimStart()
  const first = start[0] ?? ''
  if (first === 'a')
    return start.startsWith('at ') && (SCRIPT_FRAME.test(line.trimEnd()) || RUST_FRAME.test(line))
  if (first === 'F') return PYTHON_FRAME.test(line)
  if (first === '/') return GO_FRAME.test(line.trimEnd())
  return first >= '0' && first <= '9' && RUST_FRAME.test(line)
}

/** Python prints the source line below the frame. */
export function opensSource(line: string): boolean {
  return PYTHON_FRAME.test(line)
}

/** A line that ends in an opening bracket: the logged object follows on the next lines. */
export function isDumpOpening(line: string): boolean {
  return /[[{(]\s*$/.test(line)
}
