import { createHmac, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWhole } from '../../../config/create-whole.ts'
import { makeFolder } from '../../../config/make-folder.ts'
import { shellWord } from '../../../config/shell-word.ts'
import type { UpstreamSettings } from './upstream-settings.ts'

/** Folder of what is kept about MCP servers, in the data folder. */
export const MCP_FOLDER = 'mcp'

/**
 * Variables that differ from shell to shell and hold no credential: two sessions with the same login are the same.
 * SSH_AUTH_SOCK is not among them, because it decides whose keys a server uses.
 */
const PASSING =
  /^(?:PWD|OLDPWD|SHLVL|_|TERM|TERM_\w+|COLORTERM|COLUMNS|LINES|WINDOWID|WINDOWPATH|TMUX|TMUX_PANE|STY|SSH_TTY|SSH_CLIENT|SSH_CONNECTION|XDG_SESSION_\w+|MULLIGAN_SESSION|MULLIGAN_TREE|CLAUDECODE|CLAUDE_CODE_SSE_PORT|CLAUDE_CODE_ENTRYPOINT|CLAUDE_CODE_SESSION_ID|CURSOR_TRACE_ID|ITERM_\w+|WT_SESSION|WT_PROFILE_ID|KITTY_\w+|WEZTERM_\w+|GNOME_TERMINAL_\w+|KONSOLE_\w+|ALACRITTY_\w+|TERMINATOR_\w+|npm_lifecycle_\w+|npm_package_\w+|npm_command|npm_execpath|npm_node_execpath|VSCODE_\w*(?:PID|IPC_HOOK\w*|HANDLE)|INVOCATION_ID|JOURNAL_STREAM)$/

/**
 * Names a server together with the credentials that it is used with: by command, arguments, folder, environment and
 * headers, under a key that only this data folder has. Nobody can tell the credentials from it, and no session runs the
 * calls of another login.
 */
export function identityOf({ target }: Pick<UpstreamSettings, 'target'>, key: Buffer): string {
  const what =
    target.by === 'stdio'
      ? { argv: target.argv, cwd: target.cwd, env: sorted(target.env) }
      : { url: target.url, headers: sorted(target.headers) }
  return createHmac('sha256', key).update(JSON.stringify(what)).digest('hex').slice(0, 16)
}

function sorted(values: Readonly<Record<string, string | undefined>>): [string, string][] {
  return Object.entries(values)
    .filter((entry): entry is [string, string] => entry[1] !== undefined && !PASSING.test(entry[0]))
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

/** The key of a data folder, created on first use. Two processes that create it at once end up with the same. */
export function identityKey(dataFolder: string): Buffer {
  const folder = join(dataFolder, MCP_FOLDER)
  const file = join(folder, 'identity.key')
  const read = () => {
    const text = readFileSync(file, 'utf8').trim()
    if (!/^[0-9a-f]{64}$/.test(text))
      throw new Error(`${file} contains no valid key; remove it to get a new one: rm ${shellWord(file)}`)
    return Buffer.from(text, 'hex')
  }
  if (!existsSync(file)) {
    makeFolder(folder)
    createWhole(file, `${randomBytes(32).toString('hex')}\n`)
  }
  return read()
}
