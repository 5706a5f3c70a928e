import { homedir } from 'node:os'
import { join } from 'node:path'
import { claudeHome } from '../../../agent/claude-costs.ts'
import { version } from '../../../daemon/version.ts'
import { parseJsonc, valueOfNode } from '../../../gateway/mcp/client/jsonc.ts'
import { withoutMember, withValue } from '../../../gateway/mcp/client/jsonc-edit.ts'
import { claudeBaseUrl } from './base-url.ts'
import { hookCommand, hookEntries } from './hook-entries.ts'
import type { Piece, Site } from './piece.ts'
import { SKILL } from './skill.ts'

const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`

/**
 * A plugin for Claude Code: hooks, MCP server and skill in a folder that it loads by itself, so that no file of the user's
 * changes. Only the status line needs a setting, and is left alone if there is one.
 */
export function claudePlugin(site: Site): readonly Piece[] {
  const { project, words, env, proxy } = site
  const base = project === undefined ? claudeHome(env, env.HOME || homedir()) : join(project, '.claude')
  const at = (...path: string[]) => join(base, 'skills', 'mulligan', ...path)
  const [command = '', ...args] = words
  return [
    {
      file: at('.claude-plugin', 'plugin.json'),
      own: json({
        name: 'mulligan',
        version: version(),
        description: 'Decides what happens after a call fails, and makes it happen.',
      }),
    },
    { file: at('hooks', 'hooks.json'), own: json({ hooks: inLists(hookEntries(site, 'claude')) }) },
    { file: at('.mcp.json'), own: json({ mcpServers: { mulligan: { command, args: [...args, 'mcp'] } } }) },
    { file: at('skills', 'mulligan', 'SKILL.md'), own: SKILL },
    ...(project === undefined
      ? [
          {
            file: join(base, 'settings.json'),
            part: 'status line',
            edit: (text: string) => withStatusLine(text, words),
            without: (text: string) => withoutStatusLine(text, words),
          },
          ...(proxy === undefined ? [] : [{ file: join(base, 'settings.json'), ...claudeBaseUrl(proxy) }]),
        ]
      : []),
  ]
}

/** An event has a list of hooks. */
function inLists(entries: Readonly<Record<string, unknown>>): Record<string, unknown[]> {
  return Object.fromEntries(Object.entries(entries).map(([event, entry]) => [event, [entry]]))
}

function withStatusLine(text: string, words: readonly string[]): string {
  const start = text.trim() === '' ? '{}\n' : text
  if (statusLineIn(start) !== undefined) return text
  return withValue(start, ['statusLine'], {
    type: 'command',
    command: hookCommand(words, 'status-line', 'claude'),
  })
}

function withoutStatusLine(text: string, words: readonly string[]): string | undefined {
  const { command } = (statusLineIn(text) ?? {}) as { command?: unknown }
  if (command === hookCommand(words, 'status-line', 'claude')) return withoutMember(text, ['statusLine'])
  return String(command).includes('hook status-line') ? undefined : text
}

function statusLineIn(text: string): unknown {
  if (text.trim() === '') return undefined
  return ((valueOfNode(parseJsonc(text)) ?? {}) as { statusLine?: unknown }).statusLine
}
