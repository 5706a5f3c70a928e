import { createHmac, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../../config/make-folder.ts'
import type { UpstreamSettings } from './upstream-settings.ts'

/** Folder of what is kept about MCP servers, in the data folder. */
export const MCP_FOLDER = 'mcp'

/** Variables that differ from shell to shell and hold no credential: two sessions with the same login are the same. */
const PASSING =
  /^(?:PWD|OLDPWD|SHLVL|_|TERM|TERM_\w+|COLORTERM|COLUMNS|LINES|WINDOWID|WINDOWPATH|TMUX|TMUX_PANE|STY|SSH_TTY|SSH_CLIENT|SSH_CONNECTION|XDG_SESSION_\w+|MULLIGAN_SESSION|MULLIGAN_TREE|CLAUDECODE|CLAUDE_CODE_SSE_PORT|CLAUDE_CODE_ENTRYPOINT|npm_lifecycle_\w+|npm_package_\w+|npm_command|npm_execpath|npm_node_execpath|VSCODE_\w*(?:PID|IPC_HOOK\w*|HANDLE)|INVOCATION_ID|JOURNAL_STREAM)$/

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

/** The key of a data folder, made on first use. Two processes that make it at once end up with the same. */
export function identityKey(dataFolder: string): Buffer {
  const folder = join(dataFolder, MCP_FOLDER)
  const file = join(folder, 'identity.key')
  const read = () => Buffer.from(readFileSync(file, 'utf8').trim(), 'hex')
  try {
    return read()
  } catch {
    makeFolder(folder)
    try {
      writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    return read()
  }
}
