/**
 * Output of a program, sorted by how much its lines prove. The final error decides; retry banners and noise
 * count only when nothing else is left; stack frames never do, they quote code.
 */
export interface SortedLines {
  final: string
  late: string
  /** A stack frame of a timer: what was aborted was aborted by a clock. */
  timerFired: boolean
}

export function sortLines(text: string): SortedLines {
  const clean = stripTerminal(text)
  if (!clean.includes('\n')) {
    return isBanner(clean) ? { final: '', late: clean, timerFired: false } : { final: clean, late: '', timerFired: false }
  }
  const final: string[] = []
  const late: string[] = []
  let timerFired = false
  let afterPythonFrame = false
  for (const line of clean.split('\n')) {
    if (isFrame(line) || (afterPythonFrame && /^\s{4,}\S/.test(line))) {
      timerFired ||= /\bTimeout\._onTimeout\b/.test(line)
      afterPythonFrame = PYTHON_FRAME.test(line)
      continue
    }
    afterPythonFrame = false
    if (isBanner(line) || isNoise(line)) late.push(line)
    else final.push(line)
  }
  return { final: final.join('\n'), late: late.join('\n'), timerFired }
}

/** Removes colours, cursor movement and the box that a terminal interface draws around a text. */
export function stripTerminal(text: string): string {
  let clean = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text
  if (clean.includes('\x1b')) clean = clean.replaceAll(ESCAPE, '')
  return clean.includes('│') || clean.includes('┃') ? clean.replaceAll(/[ \t]*[│┃][ \t]*/g, ' ') : clean
}

const ESCAPE = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\)|[@-Z\\-_])/g

const PYTHON_FRAME = /^\s*File "[^"\n]{1,300}", line \d+/
const FRAME = /^\s*at (?:async |new )?\S.{0,300}(?::\d+(?::\d+)?\)?|\(<anonymous>\)|\(unknown\)|\(native\))$/

function isFrame(line: string): boolean {
  const start = line.trimStart()
  if (start.startsWith('at ')) return FRAME.test(line.trimEnd())
  return start.startsWith('File "') && PYTHON_FRAME.test(line)
}

const BANNERS = [
  /\breconnecting\b.{0,20}\d+\s*\/\s*\d+/i,
  /\bretrying (?:in|after|with|again|\(?\d+\s*\/\s*\d+|#?\d+|attempt)/i,
  /\battempt #?\d+(?:\s*\/\s*\d+\)?| of \d+)?(?:\s+failed\b|\s*\)|\s*$|[,:;.…])/i,
  /\bwill (?:now )?retry (?:in|after)\b/i,
  /\[retrying\b/i,
  /; retrying\b/i,
  /\bfalling back (?:from|to)\b/i,
  /\bswitching to the \S{1,60} model\b/i,
]

function isBanner(line: string): boolean {
  if (line.length > 4_000) return false
  if (!/retr|reconnect|attempt|falling back|switching/i.test(line)) return false
  return BANNERS.some(banner => banner.test(line))
}

const NOISE =
  /ExperimentalWarning|DeprecationWarning|\bpunycode\b|MaxListenersExceeded|^\s*npm (?:warn|notice)|update available|Loaded cached credentials|Full report available|^\s*(?:warning|warn)\b[:\s]|^\s*\[(?:warning|warn|info|debug)\]|^note: run with `RUST_BACKTRACE|Use `node --trace|Reading additional input from stdin/i

function isNoise(line: string): boolean {
  return line.length <= 4_000 && NOISE.test(line)
}
