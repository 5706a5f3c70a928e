import { isDeepStrictEqual } from 'node:util'
import { parseJsonc, valueOfNode } from '../../../gateway/mcp/client/jsonc.ts'
import { withoutMember, withValue } from '../../../gateway/mcp/client/jsonc-edit.ts'
import { shellWord } from '../../../option/shell-word.ts'
import type { Site } from './piece.ts'

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
export function hookEntries(
  { words, continues }: Pick<Site, 'words' | 'continues'>,
  client: string,
): Record<string, unknown> {
  const timeout = client === 'qwen' ? LONGEST_S * 1_000 : LONGEST_S
  const entry = (command: string, more: object = {}) => ({
    ...more,
    hooks: [{ type: 'command', command, timeout }],
  })
  return {
    Stop: entry(hookCommand(words, 'stop', client)),
    StopFailure: entry(
      // The shell knows its parent, the client.
      leftBehind(
        `${hookCommand(words, 'stop-failure', client)}${continues ? ' --continue --owner $PPID' : ''}`,
      ),
    ),
    PostToolUseFailure: entry(hookCommand(words, 'tool-failure', client), {
      matcher: 'mcp__.*|WebFetch|WebSearch|web_fetch|web_search',
    }),
  }
}

/** Adds hooks beside those of the user. */
export function withHooks(text: string, hooks: Readonly<Record<string, unknown>>): string {
  const start = text.trim() === '' ? '{}\n' : text
  const known = hooksIn(start)
  return Object.entries(hooks).reduce((now, [event, entry]) => {
    const before: unknown[] = Array.isArray(known[event]) ? known[event] : []
    if (before.some(each => isDeepStrictEqual(each, entry))) return now
    return withValue(now, ['hooks', event], [...before, entry])
  }, start)
}

/** Removes hooks, and the lists that are empty then; undefined if somebody changed one. */
export function withoutHooks(text: string, hooks: Readonly<Record<string, unknown>>): string | undefined {
  if (text.trim() === '') return text
  const known = hooksIn(text)
  let rest = text
  for (const [event, entry] of Object.entries(hooks)) {
    const before: unknown[] = Array.isArray(known[event]) ? known[event] : []
    const others = before.filter(each => !isDeepStrictEqual(each, entry))
    if (/ hook (?:stop|stop-failure|tool-failure) --client /.test(JSON.stringify(others))) return undefined
    if (others.length === before.length) continue
    rest =
      others.length > 0 ? withValue(rest, ['hooks', event], others) : withoutMember(rest, ['hooks', event])
  }
  return rest !== text && Object.keys(hooksIn(rest)).length === 0 ? withoutMember(rest, ['hooks']) : rest
}

function hooksIn(text: string): Record<string, unknown> {
  const { hooks } = (valueOfNode(parseJsonc(text)) ?? {}) as { hooks?: unknown }
  return typeof hooks === 'object' && hooks !== null ? (hooks as Record<string, unknown>) : {}
}
