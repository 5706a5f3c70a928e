import { codeAt } from '../text/characters.ts'

/** Finds JSON in text: as the whole text, after a status line, inside a log line, or framed as server-sent events. */

const MOST_FOUND = 24
const MOST_FAILED = 48
const LONGEST = 65_536

/** Parses a text that is JSON from start to end; otherwise undefined. */
export function parseWhole(text: string): unknown {
  const trimmed = text.trim()
  const first = trimmed.charCodeAt(0)
  if (first !== 123 && first !== 91) return undefined
  return parse(trimmed)
}

/** The outermost JSON objects and lists inside a text, in order. */
export function findJson(text: string): unknown[] {
  const found: unknown[] = []
  if (!text.includes('{') && !text.includes('[')) return found
  let failed = 0
  let at = 0
  while (found.length < MOST_FOUND && failed < MOST_FAILED) {
    const open = nextOpening(text, at)
    if (open < 0) break
    const close = matching(text, open)
    const value = close < 0 ? undefined : read(text.slice(open, close + 1))
    if (value === undefined) {
      failed++
      at = open + 1
    } else {
      found.push(value)
      at = close + 1
    }
  }
  return found
}

/** The next { or [ that can begin JSON: followed by a key, a brace, a bracket or its own end. */
function nextOpening(text: string, from: number): number {
  const { length } = text
  for (let at = from; at < length; at++) {
    const code = codeAt(text, at)
    if (code === 123 || code === 91) {
      let next = at + 1
      while (text.charCodeAt(next) <= 32) next++
      const following = text.charCodeAt(next)
      if (following === 34 || following === 39 || following === 123 || following === 91) return at
    }
  }
  return -1
}

/** The index of the bracket that closes the one at `open`, skipping strings; -1 if there is none within reach. */
export function matching(text: string, open: number): number {
  const end = Math.min(text.length, open + LONGEST)
  let depth = 0
  let quote = 0
  // An apostrophe opens a string only where it can: in JSON it is a letter.
  const mayBePython = startsPython(text, open)
  for (let at = open; at < end; at++) {
    const code = codeAt(text, at)
    if (quote !== 0) {
      if (code === 92) at++
      else if (code === quote) quote = 0
    } else if (code === 34 || (code === 39 && mayBePython)) quote = code
    else if (code === 123 || code === 91) depth++
    else if (code === 125 || code === 93) {
      depth--
      if (depth === 0) return at
    }
  }
  return -1
}

function read(text: string): unknown {
  return startsPython(text, 0) ? parsePython(text) : parse(text)
}

/** True for `{'`, which begins a dictionary as Python prints it. */
function startsPython(text: string, open: number): boolean {
  return text.charCodeAt(open) === 123 && text.charCodeAt(open + 1) === 39
}

const PYTHON = /'((?:[^'\\]|\\.)*)'|"(?:[^"\\]|\\.)*"|\b(True|False|None)\b/g
const CONSTANTS: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' }

/** Parses a dictionary as Python prints it, which is how SDKs in Python pass on an answer. */
function parsePython(text: string): unknown {
  return parse(
    text.replaceAll(PYTHON, (whole, single: string | undefined, constant: string | undefined) =>
      single === undefined
        ? (CONSTANTS[constant ?? ''] ?? whole)
        : JSON.stringify(single.replaceAll(/\\(['"])/g, '$1')),
    ),
  )
}

function parse(text: string): unknown {
  if (text.length > LONGEST * 4) return undefined
  try {
    return asContainer(JSON.parse(text))
  } catch {
    return parseWrapped(text)
  }
}

/** Terminals wrap long lines inside strings, which JSON forbids: joins the lines and tries again. */
function parseWrapped(text: string): unknown {
  if (!text.includes('\n')) return undefined
  try {
    return asContainer(JSON.parse(joined(text)))
  } catch {
    return undefined
  }
}

/** Joins lines without the margins of a box or an indent. */
function joined(text: string): string {
  return text
    .split('\n')
    .map(line => line.slice(firstInner(line), lastInner(line)))
    .join(' ')
}

function firstInner(line: string): number {
  let at = 0
  while (at < line.length && isMargin(codeAt(line, at))) at++
  return at
}

function lastInner(line: string): number {
  let at = line.length
  while (at > 0 && isMargin(codeAt(line, at - 1))) at--
  return at
}

function isMargin(code: number): boolean {
  return code === 32 || code === 9 || code === 13 || code === 0x2502
}

function asContainer(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? value : undefined
}
