import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FaultName, startLab } from '../../lab/index.ts'
import { classify, type Failure } from '../../src/failure/index.ts'
import { run } from '../../src/process/index.ts'
import { realTime, sleep } from '../../src/time/index.ts'
import { CLIS } from './cli.ts'
import type { CliName } from './install.ts'
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
export const BUDGET_MS = 60_000
const KILL_GRACE_MS = 3_000

/** A line by which a CLI shows that it sits in a retry loop of its own, and how many of them are enough. */
const RETRY_LINE = /\bmessage="stream error".{0,200}agent=build\b|^Attempt \d+ failed\b/gm
const RETRY_LINES_MOST = 2

/** Runs a CLI against a lab that always fails in one way; without a fault, against a healthy one. */
export async function runCli(cli: CliName, bin: string, fault: FaultName | undefined): Promise<CliOutcome> {
  const lab = await startLab({ slowMs: 100, ...(fault === undefined ? {} : { script: fault }) })
  const home = mkdtempSync(join(tmpdir(), `mulligan-lab-${cli}-`))
  const cwd = join(home, 'work')
  mkdirSync(cwd)
  // Whoever leaves the process group keeps its environment, and is found by this.
  const mark = `${process.pid}-${home}`
  try {
    const { argv, env } = CLIS[cli](bin, home, lab.url)
    const enough = new AbortController()
    let printed = ''
    const ended = await run({
      argv,
      cwd,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        TERM: 'dumb',
        LANG: 'C.UTF-8',
        MULLIGAN_LAB_RUN: mark,
        ...env,
      },
      stdin: 'Say hi.',
      timeoutMs: BUDGET_MS,
      killGraceMs: KILL_GRACE_MS,
      signal: enough.signal,
      onOutput: (_stream, chunk) => {
        printed += chunk
        if ((printed.match(RETRY_LINE)?.length ?? 0) > RETRY_LINES_MOST) enough.abort()
      },
    })
    // Whoever ends a retry loop early gave up waiting: the same as a timer.
    const result = { ...ended, timedOut: ended.timedOut || ended.aborted, aborted: false }
    return {
      exit: result.signal ?? String(result.exitCode),
      durationMs: result.durationMs,
      printed,
      failure: classify(result, { provider: cli, now: Date.now() }),
      calls: lab.requests.filter(({ asked }) => !['tokens', 'models', 'other'].includes(asked)).length,
      leftBehind: (await goneOf(() => processesOf('MULLIGAN_LAB_RUN', mark))).length,
    }
  } finally {
    await lab.close()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
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
