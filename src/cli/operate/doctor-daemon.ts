import { isCallFailed } from '../../call/call-failed.ts'
import { dataFolder } from '../../config/data-folder.ts'
import { ConfigError } from '../../config/error.ts'
import { loadBroken } from '../../config/load-broken.ts'
import type { LoadedConfig } from '../../config/loaded.ts'
import type { SurfaceConfig } from '../../config/schema/surface.ts'
import { trusted } from '../../config/trust.ts'
import { checkAnswering } from '../../daemon/checkup/answering.ts'
import { checkClock, compareClocks } from '../../daemon/checkup/clock.ts'
import { checkDisk } from '../../daemon/checkup/disk.ts'
import { type DaemonFinding, notChecked, trouble, well } from '../../daemon/checkup/finding.ts'
import { ledgerLockOf } from '../../daemon/checkup/ledger-lock.ts'
import { checkLedgerLock, checkLock } from '../../daemon/checkup/lock.ts'
import { readClock } from '../../daemon/clock-watch.ts'
import { lookAtLock } from '../../daemon/lock.ts'
import { readAddress } from '../../gateway/http/address-file.ts'
import { checkSurface } from '../../notice/check-surface.ts'
import { surfaceHostOf } from '../../notice/surface-host.ts'
import { tellingRuleOf } from '../../notice/telling-rule.ts'
import { cleaningUp } from '../../time/clean-up.ts'
import { printJson } from '../print/print-json.ts'
import { databaseOf, flagValues, ledgerOf, loadFor, type RuntimeFlags } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'

/** Checks what a daemon needs, and prints what is wrong with what helps. */
export async function checkDaemon(
  flags: RuntimeFlags & { json?: boolean | undefined },
  terminal: Terminal,
): Promise<number> {
  const { loaded, findings } = configOf(flags, terminal)
  const folder = dataFolder(loaded, terminal)
  findings.push(...(await daemonFindings(folder, terminal)))
  findings.push(...(await ledgerFindings(folder, loaded, terminal)))
  findings.push(...(await surfaceFindings(loaded, terminal)))
  const isWell = findings.every(({ state }) => state !== 'trouble')
  if (flags.json) printJson(terminal, { ok: isWell, data: folder, checks: findings })
  else terminal.stdout(inWords(findings))
  return isWell ? 0 : 1
}

/** The config, or what can be read of a broken one. */
function configOf(
  flags: RuntimeFlags,
  terminal: Terminal,
): { loaded: LoadedConfig; findings: DaemonFinding[] } {
  try {
    const loaded = loadFor(flags, terminal)
    return { loaded, findings: [well('config', loaded.file ?? 'none; all values are defaults')] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const { env, cwd } = terminal
    const loaded = loadBroken({ flag: flags.config, env, cwd, flags: flagValues(flags) })
    return {
      loaded,
      findings: [trouble('config', error.message, 'correct it; check it: mulligan config check')],
    }
  }
}

async function daemonFindings(folder: string, terminal: Terminal): Promise<DaemonFinding[]> {
  const now = terminal.now()
  let isHeld = false
  const locks = attempt('lock', () => {
    const lock = lookAtLock(folder)
    isHeld = lock.state === 'held'
    return checkLock(folder, lock, now)
  })
  const answers = isHeld ? [await answering(folder, terminal.signal)] : []
  const clock = checkClock(readClock(folder), now)
  return [...locks, ...answers, clock, ...attempt('disk', () => [checkDisk(folder)])]
}

async function answering(folder: string, signal: AbortSignal): Promise<DaemonFinding> {
  const listens = readAddress(folder)
  if (listens) return checkAnswering(listens.url, signal)
  return notChecked('daemon', 'it runs, and serves no HTTP API that could be asked')
}

async function ledgerFindings(
  folder: string,
  loaded: LoadedConfig,
  terminal: Terminal,
): Promise<DaemonFinding[]> {
  try {
    if (databaseOf(loaded, terminal) === undefined) {
      const holders = ledgerLockOf(folder)
      return holders === undefined
        ? [notChecked('ledger', 'there is none yet')]
        : [checkLedgerLock(folder, holders)]
    }
    const ledger = await ledgerOf(folder, loaded, terminal, { absent: 'keep_out' })
    if (!ledger) return [notChecked('ledger', 'there is none in the database yet')]
    return await cleaningUp(
      async () => [
        well('ledger', `the database answers: ${await ledger.lastEvent()} events`),
        compareClocks(terminal.now(), ledger.time.now()),
        notChecked('disk', 'the free space of the database server'),
      ],
      () => ledger.close(),
    )
  } catch (error) {
    return [trouble('ledger', (error as Error).message, 'see docs/ledger.md, "When something is wrong"')]
  }
}

async function surfaceFindings(loaded: LoadedConfig, terminal: Terminal): Promise<DaemonFinding[]> {
  if (loaded.config.surfaces.length === 0) return []
  if (!loaded.isTrusted)
    return [notChecked('surface', `${loaded.file} is not trusted, so nothing is sent: mulligan config trust`)]
  const { surfaces } = tellingRuleOf(trusted(loaded).config)
  return Promise.all(
    surfaces.filter(({ enabled }) => enabled).map(config => surfaceFinding(config, loaded, terminal)),
  )
}

async function surfaceFinding(
  config: SurfaceConfig,
  loaded: LoadedConfig,
  terminal: Terminal,
): Promise<DaemonFinding> {
  const { name, kind } = config
  try {
    const host = surfaceHostOf(loaded, terminal, terminal)
    const reached = await checkSurface(config, host, { signal: terminal.signal })
    const open = reached.notChecked === undefined ? '' : `; not checked: ${reached.notChecked}`
    return well('surface', `${name} (${kind}) answers${open}`)
  } catch (error) {
    const { failure } = isCallFailed(error) ? error : {}
    const reason = failure ? `${failure.class}/${failure.kind}: ${failure.message}` : (error as Error).message
    return trouble(
      'surface',
      `${name} (${kind}) cannot be reached: ${reason}`,
      `correct [[surface]] ${name}, or its service; then: mulligan notices test ${name}`,
    )
  }
}

/** What looking ends with if the folder itself is the problem. */
function attempt(part: DaemonFinding['part'], look: () => DaemonFinding[]): DaemonFinding[] {
  try {
    return look()
  } catch (error) {
    return [trouble(part, (error as Error).message, 'make the data folder readable for this user')]
  }
}

const STATES: Record<DaemonFinding['state'], string> = {
  ok: 'ok',
  trouble: 'TROUBLE',
  not_checked: 'not checked',
}

function inWords(findings: readonly DaemonFinding[]): string {
  const lines = findings.map(
    ({ part, state, message, fix }) =>
      `${part.padEnd(8)}  ${STATES[state].padEnd(11)}  ${message}${fix === undefined ? '' : `\n${' '.repeat(23)}${fix}`}`,
  )
  return `${lines.join('\n')}\n`
}
