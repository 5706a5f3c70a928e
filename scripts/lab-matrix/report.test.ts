import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FAULT_NAMES } from '../../lab/fault/table.ts'
import { expectedOf, HIDDEN, OTHERWISE } from './expected.ts'
import { CLI_NAMES, PACKAGES } from './install.ts'
import { OWN_FAULT_NAMES } from './own-faults.ts'
import { type PoolOutcome, REFUSALS, readOutcome } from './pool.ts'
import { poolReport, poolsCsv, poolsIn, rowsOf, withPools } from './pool-report.ts'
import { processesOf } from './processes.ts'
import { type MatrixRow, reportOf, runsIn } from './report.ts'

const RIGHT: MatrixRow = {
  cli: 'claude',
  fault: 'overloaded',
  retries: 'off',
  exit: '1',
  got: { class: 'transient', kind: 'server_error' },
  expected: { class: 'transient', kind: 'overloaded' },
  classRight: true,
  kindRight: true,
  retryAfterMs: 20_000,
  calls: 1,
  durationMs: 2_345,
  inBudget: true,
  leftBehind: 0,
}

it('counts right and late runs and leftover processes, and shows every run', () => {
  const wrong: MatrixRow = {
    ...RIGHT,
    got: null,
    classRight: false,
    kindRight: false,
    inBudget: false,
    leftBehind: 2,
  }
  const { summary, markdown, csv } = reportOf([RIGHT, RIGHT, RIGHT, wrong], PACKAGES, '2026-11-16')
  expect(summary).toContain('right class: 3 of 4 (75.0 %)')
  expect(summary).toContain('past the time limit: 1')
  expect(summary).toContain('left behind: 2')
  expect(markdown).toContain('Last run: 2026-11-16')
  expect(markdown).toContain(`| ${PACKAGES.claude.name} | ${PACKAGES.claude.version} | 3 of 4 | – |  |  |`)
  expect(csv).toContain('overloaded,claude,off,1,transient/server_error,20 s,transient/overloaded,yes,2345,1')
  expect(csv).toContain('overloaded,claude,off,1,success,20 s,transient/overloaded,no,2345,1')
})

it('reads the runs of an earlier report, and writes them as they were', () => {
  const { csv } = reportOf([RIGHT, { ...RIGHT, got: null, classRight: false }], PACKAGES, '2026-11-16')
  const read = runsIn(csv, 94_000)
  expect(reportOf(read, PACKAGES, '2026-11-17').csv).toBe(csv)
  expect(read.map(({ classRight }) => classRight)).toEqual([true, false])
})

it('counts a run whose CLI hides the cause as wrong, and on its own whether the answer was careful', () => {
  const got = { class: 'throttle', kind: 'rate_limit' } as const
  const hidden: MatrixRow = { ...RIGHT, cli: 'codex', fault: 'capacity', got, classRight: false }
  const { summary, csv } = reportOf([RIGHT, hidden, { ...hidden, got: null }], PACKAGES, '2026-11-16')
  expect(summary).toContain('right class: 1 of 3')
  expect(summary).toContain('where anything shows the cause: 1 of 1')
  expect(summary).toContain('hidden by the CLI: 2 runs; Mulligan answered as a careful engineer would in 1')
  expect(csv).toContain('capacity,codex,off,1,success,20 s,transient/overloaded,no,')
})

it('shows how many requests a lasting 500 costs, and how long runs take', () => {
  const own: MatrixRow = { ...RIGHT, retries: 'own', fault: 'server_error', calls: 3 }
  const { markdown } = reportOf([own, { ...own, fault: 'reset', calls: 9, durationMs: 8_000 }], PACKAGES, '')
  expect(markdown).toContain(`| ${PACKAGES.claude.version} | – | 2 of 2 | 3 | 8 s |`)
})

it('has an expectation for every CLI and fault, with a reason if it differs from the fault', () => {
  for (const cli of CLI_NAMES)
    for (const fault of [...FAULT_NAMES, ...OWN_FAULT_NAMES])
      expect(expectedOf(cli, fault)).not.toBeUndefined()
  expect([...OTHERWISE, ...HIDDEN].every(({ why }) => why.length > 10)).toBe(true)
  // A CLI's behaviour is no excuse: an unfinished stream is one, even if the CLI retries it.
  expect(expectedOf('opencode', 'unfinished_stream')).toEqual({ class: 'transient', kind: 'stream_cut' })
  expect(expectedOf('codex', 'billing')).toEqual({ class: 'throttle', kind: 'billing' })
  expect(expectedOf('claude', 'tool_loop')).toEqual({ class: 'rail', kind: 'max_turns' })
})

describe('the table of pools', () => {
  const printed = (first: object, rest: object) =>
    JSON.stringify({ attempts: [{ provider: 'gemini', ...first }], ...rest })
  const refused = {
    failure: { class: 'permanent', kind: 'auth', effect: 'none' },
    verdict: { action: 'failover' },
  }
  const outcome = (stdout: string): PoolOutcome => ({
    first: 'gemini',
    second: 'claude',
    refusal: 'expired login',
    durationMs: 9_300,
    printed: stdout,
    ...readOutcome(stdout),
  })
  const good = outcome(printed(refused, { ok: true, provider: 'claude' }))
  const bad = outcome(printed(refused, { ok: false, provider: 'gemini' }))

  it('counts the pools whose healthy CLI answered, and keeps them all', () => {
    const others = [
      { ...bad, refusal: '500' },
      { ...outcome('no JSON'), refusal: '402' },
    ]
    const csv = poolsCsv([good, ...others], PACKAGES)
    expect(poolReport(csv).summary).toBe('- pools that answered: 1 of 3')
    expect(rowsOf(csv)).toEqual([
      `expired login,gemini,${PACKAGES.gemini.version},permanent/auth,none,failover,claude,yes,9300`,
      `500,gemini,${PACKAGES.gemini.version},permanent/auth,none,failover,none,no,9300`,
      `402,gemini,${PACKAGES.gemini.version},–,–,–,none,no,9300`,
    ])
  })

  it('is at the end of the document, and is replaced there', () => {
    const { section } = poolReport(poolsCsv([good], PACKAGES))
    const once = withPools('# The matrix\n', poolReport(poolsCsv([bad], PACKAGES)).section)
    const twice = withPools(once, section)
    expect(twice).toBe(`# The matrix\n\n${section}\n`)
    expect(poolsIn(twice)).toBe(section)
    expect(poolsIn('# The matrix\n')).toBeUndefined()
  })

  it('keeps pools that were not run again, and adds those of a new CLI', () => {
    const before = poolsCsv([good, { ...bad, first: 'qwen' }], PACKAGES)
    const mended = { ...good, first: 'qwen' as const, durationMs: 1_000 }
    const added = { ...good, first: 'copilot' as const }
    expect(poolsCsv([mended, added], PACKAGES, before)).toBe(poolsCsv([good, mended, added], PACKAGES))
  })

  it('has a row for every CLI and refusal beside the document, all answered by the second CLI', () => {
    const csv = readFileSync(new URL('../../docs/lab-pools.csv', import.meta.url), 'utf8')
    expect(rowsOf(csv)).toHaveLength(REFUSALS.length * CLI_NAMES.length)
    expect(rowsOf(csv).filter(row => !row.includes(',yes,'))).toEqual([])
    const document = readFileSync(new URL('../../docs/lab-matrix.md', import.meta.url), 'utf8')
    expect(poolsIn(document)).toBe(poolReport(csv).section)
  })
})

it.runIf(process.platform === 'linux')(
  'finds a process by its environment, and not after its end',
  async () => {
    const env = { ...process.env, MULLIGAN_TEST_MARK: `mark-${process.pid}` }
    const child = spawn('sleep', ['60'], { env })
    await once(child, 'spawn')
    expect(processesOf('MULLIGAN_TEST_MARK', `mark-${process.pid}`)).toEqual([child.pid])
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(processesOf('MULLIGAN_TEST_MARK', `mark-${process.pid}`)).toEqual([])
  },
)
