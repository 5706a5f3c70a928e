import type { Readable, Writable } from 'node:stream'
import { nearest } from '../option/nearest.ts'
import { UsageError } from './arguments.ts'
import { escapingTerminal } from './escaping-terminal.ts'
import { version } from './version.ts'

/** A command's access to the outside world; tests pass their own. */
export interface Terminal {
  /** Writes results, and nothing else. */
  stdout: (text: string | Buffer) => void
  /** Writes everything else. */
  stderr: (text: string | Buffer) => void
  /** All of stdin, as text. */
  readStdin: () => Promise<string>
  /** The raw stdin and stdout, for commands that speak a protocol over them. Absent if the command is not the whole process. */
  pipes?: { input: Readable; output: Writable }
  /** Environment of the command. */
  env: Record<string, string | undefined>
  /** Folder that relative paths start from. */
  cwd: string
  /** Epoch milliseconds. */
  now: () => number
  /** True if stdin is a terminal: reading it waits for a person. */
  isTerminal: boolean
  /**
   * Aborts when the user interrupts (Ctrl-C), the terminal closes or the process gets a signal to stop. Reading it installs
   * handlers for these signals; a second signal ends the process and everything it started at once. The reason is a
   * {@link Stopped}, which names the signal.
   */
  readonly signal: AbortSignal
  /** Calls back on SIGHUP instead of ending. Returns the function that removes the listener. */
  onHangup: (listener: () => void) => () => void
  /** Asks the user a question, and returns the line they type. Absent without a terminal. */
  ask?: (question: string) => Promise<string>
  /** Ends the process now. Absent if the command is not the whole process. */
  exit?: (code: number) => void
  /** Whether stdout is a terminal. Default false. */
  stdoutIsTerminal?: boolean
  /** Clears the current line on stderr. */
  clearLine?: () => void
  /** Whether stderr is a terminal. Default false. */
  stderrIsTerminal?: boolean
}

/** Why a terminal's signal is aborted. */
export class Stopped extends Error {
  override name = 'Stopped'
  /** The signal that stopped the process. */
  readonly by: NodeJS.Signals

  constructor(by: NodeJS.Signals) {
    super(`stopped by ${by}`)
    this.by = by
  }
}

/** The module of a command. */
export interface Command {
  /** What `--help` prints. */
  usage: string
  /** What `--help` prints for these arguments. Default `usage`. */
  usageOf?: (argv: readonly string[]) => Promise<string>
  /** Runs the command with these arguments. Resolves with the exit code. */
  run: (argv: readonly string[], terminal: Terminal) => Promise<number>
}

/** Each command is loaded only when called, to start fast. */
const COMMANDS: Record<string, { summary: string; load: () => Promise<Command> }> = {
  classify: { summary: 'classify a failure', load: () => import('./classify.ts') },
  explain: { summary: 'classify a failure and show the evidence', load: () => import('./explain.ts') },
  decide: {
    summary: 'decide what to do about a failure, and why',
    load: () => import('./decide.ts'),
  },
  run: { summary: 'run an agent CLI with retries and failover', load: () => import('./run.ts') },
  exec: { summary: 'run any program with retries', load: () => import('./exec.ts') },
  council: { summary: 'ask several agents the same question', load: () => import('./council.ts') },
  doctor: {
    summary: 'check that agents can run, and how to fix them',
    load: () => import('./doctor.ts'),
  },
  submit: { summary: 'submit an operation to the durable queue', load: () => import('./submit.ts') },
  ops: { summary: 'list, inspect, retry, cancel and edit operations', load: () => import('./ops.ts') },
  inbox: { summary: 'show the notices for a session or the workspace', load: () => import('./inbox.ts') },
  notices: { summary: 'list all notices, or test a surface', load: () => import('./notices.ts') },
  unknowns: {
    summary: 'list, show, label and share unknown failures',
    load: () => import('./unknowns.ts'),
  },
  schedule: {
    summary: 'list schedules, or run one now',
    load: () => import('./schedule.ts'),
  },
  workflow: {
    summary: 'start, show, answer, retry and cancel workflow runs',
    load: () => import('./workflow.ts'),
  },
  group: {
    summary: 'start, show and cancel agent runs that share limits',
    load: () => import('./group.ts'),
  },
  status: { summary: 'show the queue and the providers', load: () => import('./status.ts') },
  queue: { summary: 'pause or resume operations', load: () => import('./queue.ts') },
  providers: {
    summary: 'show, pause, reset and probe providers',
    load: () => import('./providers.ts'),
  },
  mcp: {
    summary: 'give agents the queue as tools, or wrap MCP servers',
    load: () => import('./mcp.ts'),
  },
  serve: { summary: 'run the daemon', load: () => import('./serve.ts') },
  http: { summary: "print the HTTP API's address, token or sign-in code", load: () => import('./http.ts') },
  config: { summary: 'check, show or trust mulligan.toml', load: () => import('./config.ts') },
  prune: { summary: 'delete old operations', load: () => import('./prune.ts') },
  ledger: {
    summary: 'check or compact the ledger',
    load: () => import('./ledger.ts'),
  },
  backup: {
    summary: 'copy ledger and results, even while the daemon runs',
    load: () => import('./backup.ts'),
  },
  migrate: {
    summary: 'move the ledger to PostgreSQL, or back to a file',
    load: () => import('./migrate.ts'),
  },
  restore: { summary: 'restore a backup', load: () => import('./restore.ts') },
  demo: { summary: 'open the dashboard with sample work', load: () => import('./demo.ts') },
  lab: { summary: 'start a fake model API that fails on command', load: () => import('./lab.ts') },
  backtest: { summary: 'test signatures against known failures', load: () => import('./backtest.ts') },
  eval: { summary: 'measure the classifier on labelled failures', load: () => import('./eval.ts') },
  tour: { summary: 'run the classifier on sample failures', load: () => import('./tour.ts') },
}

/** The names of all commands. */
export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS)

/** Runs the command line, and sets the process's exit code. Never throws. */
export async function main(argv: readonly string[], terminal: Terminal = realTerminal()): Promise<number> {
  const code = await dispatch(argv, escapingTerminal(terminal))
  if (code !== 0) process.exitCode = code
  return code
}

async function dispatch([name, ...rest]: readonly string[], terminal: Terminal): Promise<number> {
  const [of] = rest
  if (name === 'help' && of !== undefined && of !== 'help') return dispatch([of, '--help'], terminal)
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    terminal.stdout(help())
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === '-v') {
    terminal.stdout(`${version()}\n`)
    return 0
  }
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!entry) {
    const isOption = name.startsWith('-')
    const guess = nearest(name, isOption ? ['--help', '--version'] : Object.keys(COMMANDS))
    const what = isOption ? `option ${name}` : `command ${JSON.stringify(name)}`
    terminal.stderr(`mulligan: unknown ${what}${guess ? `; did you mean "${guess}"?` : ''}\n`)
    terminal.stderr('To list the commands: mulligan --help\n')
    return 2
  }
  const command = await entry.load()
  // Arguments after -- belong to another program.
  const flags = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest
  if (flags.includes('--help') || flags.includes('-h')) {
    terminal.stdout(`${(await command.usageOf?.(flags)) ?? command.usage}\n`)
    return 0
  }
  try {
    return await command.run(rest, terminal)
  } catch (error) {
    return report(name, error, (await command.usageOf?.(flags)) ?? command.usage, terminal)
  }
}

function report(name: string, error: unknown, usage: string, terminal: Terminal): number {
  const message = error instanceof Error ? error.message : String(error)
  terminal.stderr(`mulligan ${name}: ${message}\n`)
  if (!(error instanceof UsageError)) return 1
  terminal.stderr(`${usage.split('\n', 1)[0]}\n`)
  return 2
}

function help(): string {
  const width = Math.max(...Object.keys(COMMANDS).map(name => name.length))
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`)
  return [
    "Mulligan decides what happens after an AI agent's call fails.",
    '',
    'Usage: mulligan COMMAND [OPTIONS]',
    '',
    ...lines,
    '',
    'For options: mulligan COMMAND --help',
    '',
  ].join('\n')
}

function realTerminal(): Terminal {
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
