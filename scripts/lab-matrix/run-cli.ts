import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLab } from '../../lab/start.ts'
import { runAgent } from '../../src/agent/run-agent.ts'
import type { Failure } from '../../src/failure/failure.ts'
import { run } from '../../src/process/run.ts'
import { realTime, sleep } from '../../src/time/time.ts'
import { CLIS } from './cli.ts'
import type { CliName } from './install.ts'
import { isOfLab, type MatrixFault, OWN_FAULTS, type StandIn, startFaulty } from './own-faults.ts'
import { processesOf } from './processes.ts'

/** How a run of a CLI against a fault ended. */
export interface CliOutcome {
  failure: Failure | null
  /** Exit code, or the signal that ended it. */
  exit: string
  durationMs: number
  /** All that it printed, for whoever looks into a wrong class. */
  printed: string
  /** Model calls that the CLI made. */
  calls: number
  /** Processes of the run that were still there after it, which must be none. */
  leftBehind: number
}

/** The longest that a run may take; some CLIs repeat silently for minutes. */
export const BUDGET_MS = 90_000
const KILL_GRACE_MS = 3_000
/** The turns that a run may take: what a CLI does not limit, the runner does. */
const MAX_TURNS = 3

/**
 * Runs a CLI against a vendor that always fails in one way; without a fault, against a healthy one.
 * @param isHasty its own retries are off where they can be; else as it comes
 */
export async function runCli(
  cli: CliName,
  bin: string,
  fault: MatrixFault | undefined,
  isHasty = true,
): Promise<CliOutcome> {
  const lab = await vendorWith(fault)
  const home = mkdtempSync(join(tmpdir(), `mulligan-lab-${cli}-`))
  const cwd = join(home, 'work')
  mkdirSync(cwd)
  // codex works only in a repository.
  await run({ argv: ['git', 'init', '--quiet', cwd] })
  const logFile = join(home, 'printed.log')
  // Whoever leaves the process group keeps its environment, and is found by this.
  const mark = `${process.pid}-${home}`
  try {
    const { env, model, settings = {} } = CLIS[cli](home, lab.url, isHasty)
    const outcome = await runAgent(
      { id: cli, cli, binary: join(bin, cli), model, ...(isHasty ? { selfRetries: 0 } : {}), ...settings },
      { prompt: 'Say hi.', options: { timeoutMs: BUDGET_MS, maxTurns: MAX_TURNS } },
      {
        cwd,
        logFile,
        killGraceMs: KILL_GRACE_MS,
        env: {
          PATH: process.env.PATH,
          HOME: home,
          TERM: 'dumb',
          LANG: 'C.UTF-8',
          MULLIGAN_LAB_RUN: mark,
          ...env,
        },
      },
    )
    const failure = outcome.ok ? null : outcome.failure
    return {
      failure,
      exit: failure === null ? '0' : String(failure.signal ?? failure.exitCode ?? '–'),
      durationMs: outcome.durationMs,
      printed: readFileSync(logFile, 'utf8'),
      calls: lab.calls(),
      leftBehind: (await goneOf(() => processesOf('MULLIGAN_LAB_RUN', mark))).length,
    }
  } finally {
    await lab.close()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function vendorWith(fault: MatrixFault | undefined): Promise<StandIn> {
  if (fault !== undefined && !isOfLab(fault)) return startFaulty(OWN_FAULTS[fault])
  const lab = await startLab({ slowMs: 100, ...(fault === undefined ? {} : { script: fault }) })
  const isCall = (asked: string) => !['tokens', 'models', 'other'].includes(asked)
  return {
    url: lab.url,
    calls: () => lab.requests.filter(({ asked }) => isCall(asked)).length,
    close: () => lab.close(),
  }
}

/** What is still there after a moment: a process that was just ended may take one to vanish. */
async function goneOf(look: () => number[]): Promise<number[]> {
  const end = realTime.monotonic() + 2_000
  let left = look()
  while (left.length > 0 && realTime.monotonic() < end) {
    await sleep(realTime, 50)
    left = look()
  }
  return left
}
