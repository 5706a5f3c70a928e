import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLab } from '../../lab/start.ts'
import { runAgent } from '../../src/agent/run-agent.ts'
import type { Failure } from '../../src/failure/failure.ts'
import { run } from '../../src/process/run.ts'
import { quietly } from '../../src/time/clean-up.ts'
import { realTime, sleep } from '../../src/time/time.ts'
import { CLIS } from './cli.ts'
import type { CliName } from './install.ts'
import { isOfLab, type MatrixFault, OWN_FAULTS, type StandIn, startFaulty } from './own-faults.ts'
import { processesOf } from './processes.ts'

/** The result of running a CLI against a fault. */
export interface CliOutcome {
  failure: Failure | null
  /** Exit code or signal. */
  exit: string
  durationMs: number
  /** Everything it printed, to investigate a wrong class. */
  printed: string
  /** Number of model calls. */
  calls: number
  /** Processes of the run that outlived it. Must be 0. */
  leftBehind: number
}

/** Longest duration of a run; some CLIs silently retry for minutes. */
export const BUDGET_MS = 90_000
const KILL_GRACE_MS = 3_000
/** Turn limit of a run. The runner enforces it if the CLI cannot. */
const MAX_TURNS = 3

/**
 * Runs a CLI against a vendor with a fault; without a fault, against a healthy one.
 * @param isHasty turns off the CLI's own retries where possible; else its defaults apply
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
  // A process that leaves the process group keeps its environment, so this finds it.
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
          ...lab.env,
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
      leftBehind: (await remainingAfterWait(() => processesOf('MULLIGAN_LAB_RUN', mark))).length,
    }
  } finally {
    await quietly(() => lab.close())
    void quietly(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
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

/** Processes that remain after a short wait, because a killed process may take a moment to vanish. */
async function remainingAfterWait(look: () => number[]): Promise<number[]> {
  const end = realTime.monotonic() + 2_000
  let left = look()
  while (left.length > 0 && realTime.monotonic() < end) {
    await sleep(realTime, 50)
    left = look()
  }
  return left
}
