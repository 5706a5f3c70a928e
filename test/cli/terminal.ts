import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main } from '../../src/cli/main.ts'
import type { Terminal } from '../../src/cli/terminal.ts'

/** Output and exit code of a command. */
export interface Ran {
  code: number
  stdout: string
  stderr: string
}

/** Runs a command in this process with a fake terminal. For tests. */
export async function runCommand(
  argv: string[],
  {
    stdin = '',
    cwd,
    env = {},
    now = 0,
    signal = new AbortController().signal,
    onHangup = () => () => {},
    isTerminal = false,
    stdoutIsTerminal = false,
    stderrIsTerminal = false,
    onStderr = () => {},
    trusts = true,
    ask,
  }: {
    stdin?: string
    cwd?: string
    env?: Record<string, string>
    /** A fixed time, or a clock. Default the epoch. */
    now?: number | (() => number)
    signal?: AbortSignal
    onHangup?: Terminal['onHangup']
    isTerminal?: boolean
    stdoutIsTerminal?: boolean
    stderrIsTerminal?: boolean
    /** Called with each piece of stderr as it is written. */
    onStderr?: (text: string) => void
    /** Whether the mulligan.toml in `cwd` is named by a variable, and therefore trusted, or only found. Default true. */
    trusts?: boolean
    /** Answers questions, as a user would. Default none. */
    ask?: Terminal['ask']
  } = {},
): Promise<Ran> {
  // Keep state in the test's folder or a temporary one, never in the repository.
  const home = cwd ?? mkdtempSync(join(tmpdir(), 'mulligan-home-'))
  let stdout = ''
  let stderr = ''
  const terminal: Terminal = {
    stdout: text => {
      stdout += text
    },
    stderr: text => {
      stderr += text
      onStderr(String(text))
    },
    readStdin: async () => stdin,
    env: { HOME: home, ...(trusts ? namedIn(cwd) : {}), ...env },
    ...(ask ? { ask } : {}),
    cwd: cwd ?? process.cwd(),
    now: typeof now === 'number' ? () => now : now,
    isTerminal,
    stdoutIsTerminal,
    stderrIsTerminal,
    signal,
    onHangup,
  }
  const code = await main(argv, terminal)
  process.exitCode = 0
  return { code, stdout, stderr }
}

/** The variable that names a folder's config, which makes it trusted. */
export function namedIn(folder: string | undefined): Record<string, string> {
  const file = folder === undefined ? undefined : join(folder, 'mulligan.toml')
  return file !== undefined && existsSync(file) ? { MULLIGAN_CONFIG: file } : {}
}
