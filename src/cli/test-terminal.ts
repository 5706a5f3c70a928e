import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main, type Terminal } from './main.ts'

/** What a run of the command line printed and how it ended. */
export interface Ran {
  code: number
  stdout: string
  stderr: string
}

/** Runs the command line in this process, with the outside world replaced. For tests. */
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
    /** A moment, or a clock. Default the epoch. */
    now?: number | (() => number)
    signal?: AbortSignal
    onHangup?: Terminal['onHangup']
    isTerminal?: boolean
    stdoutIsTerminal?: boolean
    stderrIsTerminal?: boolean
    /** Told of each piece of stderr as it is written. */
    onStderr?: (text: string) => void
    /** The mulligan.toml in `cwd` is named, and therefore trusted; else it is found by searching. Default true. */
    trusts?: boolean
    /** Somebody who answers. Default none. */
    ask?: Terminal['ask']
  } = {},
): Promise<Ran> {
  // State goes into the folder of the test, or into one of its own: never into the repository.
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

/** Names the config of a folder, which trusts it. */
export function namedIn(folder: string | undefined): Record<string, string> {
  const file = folder === undefined ? undefined : join(folder, 'mulligan.toml')
  return file !== undefined && existsSync(file) ? { MULLIGAN_CONFIG: file } : {}
}
