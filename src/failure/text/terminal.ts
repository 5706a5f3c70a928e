const ESCAPE = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\)|[@-Z\\-_])/g
const TOP_EDGE = /^[ \t]*[╭┌├╔┏][─━═┄]{2}[^\n]*$/gm

/** The lower edge of a box. */
export const BOX_EDGE = /^\s*[╰└╚┗][─━═┄]{2}/

/** Removes colours, cursor movement and the box that a terminal interface draws around a text. */
export function stripTerminal(text: string): string {
  let clean = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text
  if (clean.includes('\x1b')) clean = clean.replaceAll(ESCAPE, '')
  if (/[─━═]{2}/.test(clean)) clean = clean.replaceAll(TOP_EDGE, keepTitle)
  return /[│┃║]/.test(clean) ? clean.replaceAll(/[ \t]*[│┃║][ \t]*/g, ' ') : clean
}

/** The edge goes, its title stays. A traceback's edge stays whole: what follows it has to be skipped. */
function keepTitle(line: string): string {
  return line.includes('Traceback') ? line : line.replaceAll(/[╭┌├╔┏╮┐┤╗┓─━═┄]/g, ' ')
}
