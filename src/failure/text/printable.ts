import { codeAt } from './characters.ts'

/**
 * Characters that are invisible but that a terminal obeys: control characters, marks that change the writing direction,
 * zero-width spaces. Line breaks and tabs are kept.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** Removes invisible characters. Runs before redaction, because a zero-width space would split a key. */
export function withoutControls(text: string): string {
  if (!/[^ -~\n\t]/.test(text)) return text
  return text.replace(ESCAPES, '').replace(UNSEEN, '')
}

const ESCAPES = /\x1b(?:\[[0-9;?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\))/g

/** Puts a text on one line, with single spaces. */
export function oneLine(text: string): string {
  if (!/[^ -~]/.test(text) && !text.includes('  ')) return text.trim()
  return withoutControls(text).replace(/\s+/g, ' ').trim()
}

const ESCAPE = /\x1b(?:\[[0-9;?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\)|[@-Z\\-_])/g
const TOP_EDGE = /^[ \t]{0,200}[╭┌├╔┏][─━═┄]{2}[^\n]*$/gm

/** The bottom edge of a box. */
export const BOX_EDGE = /^\s{0,200}[╰└╚┗][─━═┄]{2}/

/** Removes colours, cursor movement and the box that a terminal UI draws around a text. */
export function stripTerminal(text: string): string {
  if (!text.includes('\r') && !text.includes('\x1b') && !/[─━═│┃║]/.test(text)) return text
  let clean = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text
  if (clean.includes('\x1b')) clean = clean.replaceAll(ESCAPE, '')
  if (/[─━═]{2}/.test(clean)) clean = clean.replaceAll(TOP_EDGE, keepTitle)
  return /[│┃║]/.test(clean) ? withoutBars(clean) : clean
}

/** Removes vertical edges and the spaces around them. */
function withoutBars(text: string): string {
  const parts = text.split(/[│┃║]/)
  return parts
    .map((part, index) => {
      const from = index === 0 ? 0 : leadingBlanks(part)
      const to = index === parts.length - 1 ? part.length : part.length - trailingBlanks(part)
      return part.slice(from, Math.max(from, to))
    })
    .join(' ')
}

function leadingBlanks(text: string): number {
  let count = 0
  while (count < text.length && isBlank(codeAt(text, count))) count++
  return count
}

function trailingBlanks(text: string): number {
  let count = 0
  while (count < text.length && isBlank(codeAt(text, text.length - 1 - count))) count++
  return count
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9
}

/** Removes the edge but keeps its title. A traceback's edge stays whole, because the lines after it have to be skipped. */
function keepTitle(line: string): string {
  return line.includes('Traceback') ? line : line.replaceAll(/[╭┌├╔┏╮┐┤╗┓─━═┄]/g, ' ')
}
