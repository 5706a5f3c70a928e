import { dataFolder } from '../../config/data-folder.ts'
import type { FlagValues } from '../../config/override.ts'
import { HTTP_PORT_DEFAULT } from '../../config/schema/http.ts'
import { ConfigSource } from '../../config/source.ts'
import { Daemon, type Stopped } from '../../daemon/daemon.ts'
import { type DaemonLock, type Holder, lockFolder } from '../../daemon/lock.ts'
import { LOG_LEVELS, type Logger, loggerFor } from '../../daemon/log.ts'
import { type Stray, StrayErrors } from '../../daemon/stray-errors.ts'
import { PortTaken } from '../../gateway/http/listener.ts'
import { isLedgerError, type LedgerErrorCode } from '../../ledger/error.ts'
import { engineOn, type StoredLedger } from '../../queue/stored-ledger.ts'
import { cleaningUp } from '../../time/clean-up.ts'
import { realTime, sleep } from '../../time/time.ts'
import { EXIT } from '../exit-code.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { choiceFlag, durationFlag, integerFlag } from '../flag/flags.ts'
import { ensureTrusted } from '../runtime/ensure-trusted.ts'
import {
  flagValues,
  ledgerOf,
  loadFor,
  RUNTIME_OPTIONS,
  RUNTIME_USAGE,
  type RuntimeFlags,
} from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'

/** Time for running operations to end, in milliseconds. Fits within the ten seconds that containers get. */
const GRACE_DEFAULT_MS = 5_000
/** Time after the grace to kill and record running work, in milliseconds; then the daemon exits anyway. */
const LAST_RESORT_MS = 4_500
/** The steps in which that time is counted, in milliseconds. */
const LOOK_MS = 100

export const usage = `Usage: mulligan serve [OPTIONS]

Runs the daemon: runs due operations until stopped. Logs to stderr: JSON lines, or plain sentences on a terminal.

  --grace D         on stop, time for running operations to finish, such as 30s; then they are killed and returned to the
                    queue without using a retry; default 5s
  --also            run beside another daemon on the same data folder
  --http-address A  address of the HTTP API; default: [http] address, else 127.0.0.1
  --http-port N     port of the HTTP API; default: [http] port, else ${HTTP_PORT_DEFAULT}, or a free one if that is taken
  --no-http         serve no HTTP API
  --log-level L     least severe level to log: ${LOG_LEVELS.join(', ')}; default info
${RUNTIME_USAGE}

SIGHUP reloads the config; the daemon keeps the old one if the new one is broken. SIGTERM and SIGINT stop it cleanly, at
most 4.5 s after the grace; a second signal stops it at once.

Exit codes: 0 stopped cleanly; 1 the config, a module or the data folder cannot be used, or the ledger was damaged while
the daemon ran; 2 wrong usage; 70 could not stop cleanly, or an internal error; 75 another daemon has the data folder,
the ledger is locked, or the disk is full. Only 1 and 2 need a person; after any other code, restart it.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  grace: { type: 'string' },
  also: { type: 'boolean' },
  'http-address': { type: 'string' },
  'http-port': { type: 'string' },
  'no-http': { type: 'boolean' },
  'log-level': { type: 'string' },
} as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  if (positionals.length > 0)
    throw new UsageError(`serve takes no ${JSON.stringify(positionals[0])}; use --config to name the file`)
  const graceMs = durationFlag('--grace', values.grace) ?? GRACE_DEFAULT_MS
  const log = loggerFor(terminal, choiceFlag('--log-level', values['log-level'], LOG_LEVELS) ?? 'info')
  let code: number = EXIT.done
  try {
    await serve({ ...values, graceMs, http: httpFlags(values) }, terminal, log)
  } catch (error) {
    if (error instanceof UsageError) throw error
    terminal.stderr(`mulligan serve: ${error instanceof Error ? error.message : String(error)}\n`)
    code = exitCodeOfStart(error)
  }
  // Timers and sockets of user code would keep the process alive.
  terminal.exit?.(code)
  return code
}

interface Flags extends RuntimeFlags {
  also?: boolean | undefined
  graceMs: number
  http: FlagValues
}

/** Flags that override `[http]`. */
function httpFlags(values: {
  'http-address'?: string | undefined
  'http-port'?: string | undefined
  'no-http'?: boolean | undefined
}): FlagValues {
  const { 'http-address': address, 'no-http': isOff = false } = values
  const port = integerFlag('--http-port', values['http-port'], 0, 65_535)
  return {
    ...(address === undefined ? {} : { 'http.address': { flag: '--http-address', value: address } }),
    ...(port === undefined ? {} : { 'http.port': { flag: '--http-port', value: port } }),
    ...(isOff ? { 'http.enabled': { flag: '--no-http', value: false } } : {}),
  }
}

async function serve(flags: Flags, terminal: Terminal, log: Logger): Promise<void> {
  const { graceMs } = flags
  const { env, cwd, signal } = terminal
  // A SIGHUP during the start takes effect after it; one during the stop is ignored.
  let reload: (() => void) | 'requested' | undefined
  const stopListening = terminal.onHangup(() => {
    if (typeof reload === 'function') reload()
    else reload = 'requested'
  })
  const own = log.child({ component: 'serve' })
  const stopped = aborted(signal)
  let cancelLastResort = () => {}
  void stopped.then(() => {
    cancelLastResort = lastResort(graceMs, terminal, own)
  })
  let ledger: StoredLedger | undefined
  const stray = new StrayErrors(log, error => void record(ledger, error))
  const stopWatching = stray.watch()
  let lock: DaemonLock | undefined
  let stoppedAs = 'not_begun' as Stopped
  const served = async () => {
    // Ask about trust before creating or locking anything; the source below reads and checks the file again.
    await ensureTrusted(loadFor(flags, terminal), terminal)
    const source = new ConfigSource({
      flag: flags.config,
      env,
      cwd,
      flags: { ...flagValues(flags), ...flags.http },
    })
    const folder = dataFolder(source.current, terminal)
    lock = lockFolder(folder, terminal.now())
    if (!lock.held && flags.also !== true) throw new FolderTaken(folder, lock.by)
    ledger = await openWaiting(() => ledgerOf(folder, source.current, terminal), own, signal)
    const engine = await engineOn(ledger)
    const daemon = new Daemon({ source, folder, ledger, engine, terminal, log })
    await cleaningUp(
      async () => {
        const started = daemon.start()
        if (reload === 'requested') void daemon.reload()
        reload = () => void daemon.reload()
        await Promise.race([started, stopped])
        await stayAlive(stopped)
      },
      async () => {
        reload = () => {}
        stoppedAs = await daemon.stop({ graceMs })
      },
    )
  }
  await cleaningUp(
    served,
    async () => {
      // A damaged ledger stays open until the process ends, because closing it would spread the damage.
      await ledger?.verify()
      await ledger?.close()
    },
    () => lock?.held && lock.release(),
    () => cancelLastResort(),
    stopWatching,
    stopListening,
  )
  // Logged last, because scripts may wait for it.
  const strays = stray.total > 0 ? { stray_errors: stray.total } : {}
  if (stoppedAs === 'in_order') own.info(strays, 'stopped; nothing was lost')
  else if (stoppedAs === 'not_in_order')
    own.warn(strays, 'stopped, but not cleanly: running operations are taken over when their leases expire')
}

/** Wait between two tries to open a ledger on an unreachable server, in milliseconds. */
const OPEN_AGAIN_MS = 2_000

/** Opens the ledger. Waits for an unreachable server, and logs that once. */
async function openWaiting(
  open: () => Promise<StoredLedger | undefined>,
  log: Logger,
  signal: AbortSignal,
): Promise<StoredLedger> {
  for (let isLogged = false; ; ) {
    try {
      return (await open()) as StoredLedger
    } catch (error) {
      if (!isLedgerError(error) || error.code !== 'unreachable' || isRefused(error)) throw error
      if (!isLogged) log.warn(`waiting for the database: ${error.message}`)
      isLogged = true
      await sleep(realTime, OPEN_AGAIN_MS, signal)
    }
  }
}

/** Whether the server refused the login, so waiting does not help. */
function isRefused({ cause }: Error): boolean {
  return /^28/.test(String((cause as { code?: unknown } | undefined)?.code))
}

/** Another daemon has the data folder. */
class FolderTaken extends Error {
  constructor(folder: string, by: Holder | undefined) {
    const who = by
      ? `process ${by.pid} on ${by.host}, since ${new Date(by.since).toISOString()}`
      : 'another process'
    super(`a daemon already runs on ${folder}: ${who}; to run another beside it, use --also`)
  }
}

/** Temporary problems, after which a restart helps. */
const TEMPORARY: readonly LedgerErrorCode[] = ['locked', 'full', 'io', 'unreachable']

/** 1 only for problems that a person must fix; after anything else a restart may help. */
export function exitCodeOfStart(error: unknown): number {
  if (error instanceof FolderTaken || error instanceof PortTaken) return EXIT.tryLater
  if (isLedgerError(error) && TEMPORARY.includes(error.code)) return EXIT.tryLater
  const isOurs = [TypeError, RangeError, ReferenceError, SyntaxError].some(type => error instanceof type)
  return isOurs ? EXIT.unknown : EXIT.permanent
}

/** Records an uncaught error as an event, for metrics. */
async function record(ledger: StoredLedger | undefined, { whose, message }: Stray): Promise<void> {
  try {
    await ledger?.transaction(writes => writes.tell('stray_error', { ...whose, message }))
  } catch {
    // The log already has it.
  }
}

/**
 * Ends the process if a clean stop takes too long because of a lock, a disk or user code. Counts short waits, because time in
 * which a busy machine does not let this process run says nothing about it.
 */
function lastResort(graceMs: number, terminal: Terminal, log: Logger): () => void {
  const end = () => {
    log.error(
      `could not stop cleanly within ${graceMs + LAST_RESORT_MS} ms, exiting now; running operations are taken over when their leases expire`,
    )
    terminal.exit?.(EXIT.unknown)
  }
  let cancel: () => void
  const wait = (ms: number, leftMs: number) => {
    cancel = realTime.after(ms, leftMs > 0 ? () => wait(LOOK_MS, leftMs - LOOK_MS) : end)
  }
  wait(graceMs, LAST_RESORT_MS)
  return () => cancel()
}

/** Resolves when this process gets a signal to stop. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Waits for a promise with a timer running, because a promise alone does not keep the process alive. */
async function stayAlive(promise: Promise<void>): Promise<void> {
  const timer = setInterval(() => {}, 2 ** 30)
  await promise
  clearInterval(timer)
}
