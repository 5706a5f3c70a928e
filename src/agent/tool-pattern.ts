/** `Read`, `Bash(git log *)`, `mcp__server__tool`, `mcp__server__*`, and a bare `*`. */
const PATTERN = /^(?:\*|[A-Za-z_][\w.-]{0,127}\*?)(?:\(([^\0\r\n]{0,1000})\))?$/

/** Whether a text is a valid tool pattern. A broken one would silently allow nothing, or too much. */
export function isToolPattern(pattern: string): boolean {
  const match = PATTERN.exec(pattern)
  return match !== null && isBalanced(match[1] ?? '')
}

function isBalanced(specifier: string): boolean {
  let depth = 0
  for (const character of specifier) {
    if (character === '(') depth++
    else if (character === ')' && --depth < 0) return false
  }
  return depth === 0
}
