import { shellWord } from '../../../option/shell-word.ts'

/** The command of a hook, as clients write it: one line for a shell. */
export function hookCommand(words: readonly string[], hook: string, client: string): string {
  return [...words, 'hook', hook, '--client', client].map(shellWord).join(' ')
}

/** A run that is over ends its hooks, and nobody waits for this one: it goes on by itself, with the event that it was given. */
function leftBehind(command: string): string {
  return `{ nohup ${command} <&3 >/dev/null 2>&1 & } 3<&0`
}

/** Longest time of a hook, in seconds: a session waits for it. */
const LONGEST_S = 20

/** A hook for each event, in the form of Claude Code, which Qwen Code shares. */
export function hookEntries(words: readonly string[], client: string): Record<string, unknown> {
  const timeout = client === 'qwen' ? LONGEST_S * 1_000 : LONGEST_S
  const entry = (command: string, more: object = {}) => ({
    ...more,
    hooks: [{ type: 'command', command, timeout }],
  })
  return {
    Stop: entry(hookCommand(words, 'stop', client)),
    StopFailure: entry(leftBehind(hookCommand(words, 'stop-failure', client))),
    PostToolUseFailure: entry(hookCommand(words, 'tool-failure', client), {
      matcher: 'mcp__.*|WebFetch|WebSearch|web_fetch|web_search',
    }),
  }
}
