import { ConfigSource, dataFolder } from '../config/index.ts'
import type { SqliteLedger } from '../ledger/index.ts'
import { parseArguments, UsageError } from './arguments.ts'
import { Daemon } from './daemon.ts'
import { lockFolder } from './daemon-lock.ts'
import { ensureTrusted } from './ensure-trusted.ts'
import { choiceFlag, lengthFlag } from './flags.ts'
import { LOG_LEVELS, loggerFor } from './log.ts'
import type { Terminal } from './main.ts'
import { flagValues, ledgerIn, loadFor, RUNTIME_OPTIONS, RUNTIME_USAGE } from './runtime.ts'

/** How long running operations may take to end, in milliseconds: within the ten seconds that containers have. */
const GRACE_DEFAULT_MS = 5_000

export const usage = `Usage: mulligan serve [OPTIONS]

Runs what is due, until it is told to stop. Logs go to stderr: JSON lines, or sentences where a person sees them.

  --grace L         time for running operations to end by themselves when it is told to stop; then they are ended and
                    given back, which uses up no retry; default 5s
  --also            run beside another daemon on the same data folder
  --log-level L     one of ${LOG_LEVELS.join(', ')}; default info
${RUNTIME_USAGE}

SIGHUP reads the config again; a broken one keeps the old config in force, and is said. SIGTERM and SIGINT stop it in
order; the second time at once.

Exit codes: 0 stopped in order, 1 the config or the data folder cannot be used, or another daemon has it, 2 wrong usage.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  grace: { type: 'string' },
  also: { type: 'boolean' },
  'log-level': { type: 'string' },
} as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  if (positionals.length > 0)
    throw new UsageError(`serve takes no ${JSON.stringify(positionals[0])}; the file is named with --config`)
  const graceMs = lengthFlag('--grace', values.grace) ?? GRACE_DEFAULT_MS
  const log = loggerFor(terminal, choiceFlag('--log-level', values['log-level'], LOG_LEVELS) ?? 'info')
  const { env, cwd, signal } = terminal
  // Asked about before anything is made or locked; what counts is what the source reads and checks itself.
  await ensureTrusted(loadFor(values, terminal), terminal)
  const source = new ConfigSource({ flag: values.config, env, cwd, flags: flagValues(values) })
  const folder = dataFolder(source.current, terminal)
  const lock = lockFolder(folder, terminal.now())
  if (!lock.held && values.also !== true) {
    const who = lock.by
      ? `process ${lock.by.pid} on ${lock.by.host}, since ${new Date(lock.by.since).toISOString()}`
      : 'another process'
    throw new Error(`a daemon runs on ${folder} already: ${who}; to run one beside it: --also`)
  }
  try {
    const ledger = (await ledgerIn(folder, source.current)) as SqliteLedger
    try {
      const daemon = new Daemon({ source, folder, ledger, terminal, log })
      const stopReloading = terminal.onHangup(() => void daemon.reload())
      try {
        await daemon.start()
        await aborted(signal)
      } finally {
        stopReloading()
        await daemon.stop({ graceMs })
      }
    } finally {
      await ledger.close()
    }
  } finally {
    if (lock.held) lock.release()
  }
  return 0
}

/** Settles when somebody asks this process to stop. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) {
      resolve()
      return
    }
    // A signal alone keeps no process alive.
    const awake = setInterval(() => {}, 2 ** 30)
    signal.addEventListener(
      'abort',
      () => {
        clearInterval(awake)
        resolve()
      },
      { once: true },
    )
  })
}
