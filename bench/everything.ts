import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  type Group,
  type Measurement,
  performanceChart,
  performancePage,
} from '../scripts/performance-page.ts'
import type { Figure } from './figures.ts'

interface Part {
  name: string
  /** Arguments of the measurement. */
  args?: readonly string[]
  /** What makes it smaller, so that all together take 20 minutes on a quiet machine. */
  env?: Readonly<Record<string, string>>
  /** How often it is run; once where it repeats everything itself and takes minutes. */
  times: number
  /** The code that it measures: figures older than its last change say so. */
  of: readonly string[]
}

const GROUPS: readonly (Omit<Group, 'measurements' | 'missing'> & { parts: readonly Part[] })[] = [
  {
    id: 'calls',
    title: 'Calls and failures',
    about:
      'What a call costs that succeeds, what reading a failure costs, and what a program waits for when it starts.',
    parts: [
      { name: 'call', times: 3, of: ['src/call', 'src/provider'] },
      { name: 'sdk', times: 3, of: ['src/sdk', 'src/call'] },
      { name: 'classify', times: 1, of: ['src/failure'] },
      { name: 'classify-before', times: 1, of: ['src/failure'] },
      { name: 'startup', times: 1, of: ['src', 'bin', 'rolldown.config.ts'] },
    ],
  },
  {
    id: 'health',
    title: 'Health',
    about:
      'Calls sent in vain over a simulated day, and calls answered in storms of refusals over real HTTP.',
    parts: [
      { name: 'health', times: 1, of: ['src/provider', 'src/call'] },
      { name: 'storm', args: ['a,b,c,e'], times: 1, of: ['src/provider', 'src/call'] },
    ],
  },
  {
    id: 'ledger',
    title: 'Ledger, queue and workflows',
    about:
      'On SQLite, with the whole history of each operation kept; plainjob and the other queues keep none.',
    parts: [
      { name: 'ledger', times: 1, of: ['src/ledger', 'src/engine'] },
      {
        name: 'queue',
        env: { ROUNDS: '3', SOAK: '20000' },
        times: 1,
        of: ['src/queue', 'src/ledger', 'src/engine'],
      },
      { name: 'workflow', times: 1, of: ['src/workflow', 'src/queue', 'src/ledger'] },
      { name: 'cancel', times: 1, of: ['src/queue', 'src/gateway/http'] },
    ],
  },
  {
    id: 'postgres',
    title: 'PostgreSQL and other engines',
    about: 'Jobs that do nothing, with the same durability; and what a worker adds to a job that succeeds.',
    parts: [
      {
        name: 'scale',
        args: ['--daemons', '1,4', '--rounds', '2'],
        times: 1,
        of: ['src/engine', 'src/ledger'],
      },
      { name: 'adapters', env: { ROUNDS: '12' }, times: 1, of: ['src/adapter'] },
    ],
  },
  {
    id: 'gateways',
    title: 'Gateways',
    about: 'What stands between a client and its server: the model proxy, the MCP wrap, the HTTP API.',
    parts: [
      { name: 'proxy', times: 1, of: ['src/gateway/proxy'] },
      { name: 'mcp', env: { ROUNDS: '10' }, times: 1, of: ['src/gateway/mcp'] },
      {
        name: 'http',
        env: { SIZE: '100000', PARTS: 'batches,lists' },
        times: 1,
        of: ['src/gateway/http', 'src/ledger'],
      },
      {
        name: 'hostile',
        env: { SIZE: '30000', SECONDS: '1' },
        times: 1,
        of: ['src/gateway/http', 'src/ledger'],
      },
      { name: 'dashboard', env: { SIZE: '100000' }, times: 1, of: ['web/src', 'src/gateway/http'] },
    ],
  },
]

const root = fileURLToPath(new URL('..', import.meta.url))
const results = join(root, 'bench', 'results')

/**
 * Runs all measurements, or those that are named, one after another, keeps what they print, and writes docs/performance.md
 * from what is kept of all of them.
 */
export async function measureEverything(only: readonly string[]): Promise<void> {
  mkdirSync(results, { recursive: true })
  for (const part of GROUPS.flatMap(({ parts }) => parts))
    if (only.length === 0 || only.includes(part.name)) await keepOrSay(part)
  writePage()
}

/** The page anew from what is kept, without measuring. */
export function writePage(): void {
  const groups = GROUPS.map(({ parts, ...group }) => ({
    ...group,
    measurements: parts.flatMap(keptOf),
    missing: parts.filter(part => keptOf(part).length === 0).map(({ name }) => name),
  }))
  writeFileSync(join(root, 'docs', 'performance.md'), performancePage(groups))
  for (const group of groups.filter(({ measurements }) => measurements.length > 0))
    writeFileSync(join(root, 'docs', `performance-${group.id}.svg`), performanceChart(group))
}

/** One that breaks must not cost the figures of the others. Its earlier ones stay, with their age. */
async function keepOrSay(part: Part): Promise<void> {
  const start = performance.now()
  try {
    await keep(part)
    const seconds = Math.round((performance.now() - start) / 1_000)
    process.stderr.write(`mulligan: bench ${part.name} took ${seconds} s\n`)
  } catch (error) {
    process.stderr.write(`mulligan: bench ${part.name} failed: ${(error as Error).message}\n`)
    process.exitCode = 1
  }
}

async function keep({ name, args = [], env = {}, times }: Part): Promise<void> {
  const load = await coresInUse()
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-bench-'))
  try {
    const runs: Figure[][] = []
    let printed = ''
    for (let run = 0; run < times; run++) {
      process.stderr.write(`mulligan: bench ${name}, ${run + 1} of ${times}\n`)
      const file = join(folder, `${run}.json`)
      printed = await printedBy([name, ...args], file, env)
      runs.push(JSON.parse(readFileSync(file, 'utf8')) as Figure[])
    }
    const measurement: Measurement = {
      commit: git('rev-parse', '--short=8', 'HEAD'),
      at: new Date().toISOString(),
      machine: `Node ${process.version}, ${cpus()[0]?.model.trim()}, ${cpus().length} cores`,
      load,
      runs,
    }
    writeFileSync(join(results, `${name}.json`), `${JSON.stringify(measurement, null, 1)}\n`)
    writeFileSync(join(results, `${name}.txt`), printed)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** How many cores others use now. The load average still counts what ended a minute ago. */
async function coresInUse(): Promise<number> {
  const before = cpus()
  await delay(2_000)
  const shares = cpus().map(({ times }, index) => {
    const old = before[index]?.times as typeof times
    const idle = times.idle - old.idle
    const all = sum(times) - sum(old)
    return all === 0 ? 0 : 1 - idle / all
  })
  return shares.reduce((a, b) => a + b, 0)
}

function sum({ user, nice, sys, idle, irq }: ReturnType<typeof cpus>[number]['times']): number {
  return user + nice + sys + idle + irq
}

/** Some measurements exit with 1 when an aim is missed: that is a figure, not a failure. */
async function printedBy(args: readonly string[], figures: string, env: Part['env']): Promise<string> {
  const child = spawn(process.execPath, ['--expose-gc', join(root, 'bench', 'run.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...env, ...process.env, BENCH_FIGURES: figures },
    // Longer than any takes on a busy machine: one that hangs ends here.
    timeout: 10 * 60_000,
  })
  let printed = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    printed += chunk
    process.stdout.write(chunk as string)
  }
  if (!existsSync(figures) || readFileSync(figures, 'utf8') === '[]')
    throw new Error('it ended without figures')
  return printed
}

function keptOf({ name, of }: Part): Group['measurements'] {
  const file = join(results, `${name}.json`)
  if (!existsSync(file)) return []
  const measurement = JSON.parse(readFileSync(file, 'utf8')) as Measurement
  const commitsSince = Number(git('rev-list', '--count', `${measurement.commit}..HEAD`, '--', ...of))
  return [{ name, measurement, commitsSince }]
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}
