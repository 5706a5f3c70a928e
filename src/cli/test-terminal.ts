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
    cwd = process.cwd(),
    env = {},
    now = 0,
    signal = new AbortController().signal,
    isTerminal = false,
  }: {
    stdin?: string
    cwd?: string
    env?: Record<string, string>
    now?: number
    signal?: AbortSignal
    isTerminal?: boolean
  } = {},
): Promise<Ran> {
  let stdout = ''
  let stderr = ''
  const terminal: Terminal = {
    stdout: text => {
      stdout += text
    },
    stderr: text => {
      stderr += text
    },
    readStdin: async () => stdin,
    env: { HOME: cwd, ...env },
    cwd,
    now: () => now,
    isTerminal,
    signal,
  }
  const code = await main(argv, terminal)
  process.exitCode = 0
  return { code, stdout, stderr }
}
