import { Stopped, type Terminal } from './terminal.ts'

/** The terminal of this process. */
export function realTerminal(): Terminal {
  // Bound now, because the daemon later replaces process.exit for user code.
  const exit = process.exit.bind(process)
  // A reader that closes the pipe early (`| head`) is not a failure.
  process.stdout.on('error', error => {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') exit(0)
    process.stderr.write(`mulligan: cannot write to stdout: ${error.message}\n`)
    exit(1)
  })
  // A daemon must not end, and lose its runs, because its log reader closed the pipe.
  process.stderr.on('error', () => {})
  let stop: AbortController | undefined
  const hangups = new Set<() => void>()
  return {
    onHangup: listener => {
      hangups.add(listener)
      stop ??= abortedBySignals(hangups, exit)
      return () => hangups.delete(listener)
    },
    // Lazy: commands that never wait keep Node's default, which ends at once.
    get signal() {
      stop ??= abortedBySignals(hangups, exit)
      return stop.signal
    },
    stdout: text => void process.stdout.write(text),
    stderr: text => void process.stderr.write(text),
    readStdin: async () => {
      const chunks: Buffer[] = []
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks).toString('utf8')
    },
    pipes: {
      // Lazy, because reading `process.stdin` opens it and most commands do not need it.
      get input() {
        return process.stdin
      },
      output: process.stdout,
    },
    exit,
    env: process.env,
    cwd: process.cwd(),
    now: Date.now,
    isTerminal: process.stdin.isTTY === true,
    ...(process.stdin.isTTY === true && process.stderr.isTTY === true ? { ask: askUser } : {}),
    stdoutIsTerminal: process.stdout.isTTY === true,
    stderrIsTerminal: process.stderr.isTTY === true,
  }
}

/** Asks on stderr. Leaves stdin open, because a command may read from it afterwards. */
async function askUser(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  return lines.question(question).finally(() => lines.close())
}

function abortedBySignals(hangups: ReadonlySet<() => void>, exit: (code: number) => void): AbortController {
  const controller = new AbortController()
  const onSignal = (name: NodeJS.Signals) => {
    if (name === 'SIGHUP' && hangups.size > 0) {
      for (const listener of hangups) listener()
      return
    }
    if (controller.signal.aborted) exit(130)
    controller.abort(new Stopped(name))
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal)
  return controller
}
