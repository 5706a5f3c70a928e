const ESCAPE = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\)|[@-Z\\-_])/g
const FRAME_LINE = /^[ \t]*[╭┌╰└├╔╚┏┗][─━═┄]{2}[^\n]*$/gm

/** Removes colours, cursor movement and the box that a terminal interface draws around a text. */
export function stripTerminal(text: string): string {
  let clean = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text
  if (clean.includes('\x1b')) clean = clean.replaceAll(ESCAPE, '')
  if (/[─━═]{2}/.test(clean)) clean = clean.replaceAll(FRAME_LINE, keepTitle)
  return /[│┃║]/.test(clean) ? clean.replaceAll(/[ \t]*[│┃║][ \t]*/g, ' ') : clean
}

/** The edge of a box goes; a traceback's stays, because what follows it has to be skipped. */
function keepTitle(line: string): string {
  return line.includes('Traceback') || /^\s*╰/.test(line) ? line : line.replaceAll(/[╭┌╰└├╔╚┏┗╮┐╯┘┤╗╝┓┛─━═┄]/g, ' ')
}
