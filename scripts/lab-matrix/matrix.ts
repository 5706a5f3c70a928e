import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { FAULT_NAMES } from '../../lab/fault/table.ts'
import { isSameKind } from '../../src/cli/develop/grade.ts'
import { expectedOf, hiddenIn } from './expected.ts'
import { CLI_NAMES, type CliName, installClis, PACKAGES } from './install.ts'
import { type MatrixFault, OWN_FAULT_NAMES } from './own-faults.ts'
import { type PoolOutcome, REFUSALS, runPool } from './pool.ts'
import { isAnswered, poolReport, poolsCsv, poolsIn, withPools } from './pool-report.ts'
import { type MatrixRow, reportOf, runsIn } from './report.ts'
import { BUDGET_MS, runCli } from './run-cli.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const keptIn = join(root, '.cache', 'lab-matrix')
const document = join(root, 'docs', 'lab-matrix.md')
const poolsFile = join(root, 'docs', 'lab-pools.csv')

/** Faults that CLIs retry, or should not retry. Each is also run with the CLIs' own retries on. */
const RETRIED: readonly MatrixFault[] = [
  'rate_limit',
  'usage_limit',
  'overloaded',
  'server_error',
  'auth',
  'reset',
  'unfinished_stream',
  'long_wait',
  // Nothing that the CLI repeats can heal these.
  'self_signed',
  'expired_certificate',
  'private_authority',
  'other_host_certificate',
  'plain_port',
  'tunnel_login',
]
const FAULTS: readonly (MatrixFault | undefined)[] = [undefined, ...FAULT_NAMES, ...OWN_FAULT_NAMES]

const GRACE_MS = 4_000

interface Pair {
  cli: CliName
  fault: MatrixFault | undefined
  retries: MatrixRow['retries']
}

const USAGE = `Usage: npm run lab:matrix -- [--cli NAME]… [--fault NAME]… [--own-retries] [--jobs N] [--write]
       npm run lab:matrix -- --pools [--cli NAME]… [--refusal NAME]… [--jobs N] [--write]

Runs the real agent CLIs against the lab, one fault after another, and prints how Mulligan classifies each run.
With --pools, each CLI is first in a pool and is refused at its first request; a healthy CLI is second and must answer.
Exit codes: 0 all as expected, 1 otherwise.
  --cli NAME     only this CLI (${CLI_NAMES.join(', ')}); may be repeated
  --fault NAME   only this fault; "none" for a healthy run; may be repeated
  --refusal NAME only this refusal of the first CLI (${REFUSALS.map(({ name }) => name).join(', ')}); may be repeated
  --own-retries  leave the CLIs' own retries on; against ${RETRIED.join(', ')} and a healthy vendor
  --jobs N       parallel runs; default 2
  --write        write docs/lab-matrix.md; rows that were not run now come from their last run, if any`

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      cli: { type: 'string', multiple: true },
      fault: { type: 'string', multiple: true },
      jobs: { type: 'string', default: '2' },
      write: { type: 'boolean', default: false },
      pools: { type: 'boolean', default: false },
      refusal: { type: 'string', multiple: true },
      'own-retries': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(`${USAGE}\n`)
    return 0
  }
  const clis = CLI_NAMES.filter(name => values.cli?.includes(name) ?? true)
  const retries = values['own-retries'] ? 'own' : 'off'
  const faults = faultsWith(retries).filter(name => values.fault?.includes(name ?? 'none') ?? true)
  if (clis.length === 0 || faults.length === 0) {
    process.stderr.write(`lab:matrix: no such CLI or fault\n${USAGE}\n`)
    return 2
  }
  const bin = await installClis(join(root, '.cache', 'lab-clis'), line => process.stderr.write(`${line}\n`))
  if (values.pools) return pools(clis, bin, Number(values.jobs), values.write, values.refusal)
  const pairs = faults.flatMap(fault => clis.map(cli => ({ cli, fault, retries }) satisfies Pair))
  const rows = await inTurn(pairs, Number(values.jobs), pair => rowOf(pair, bin))
  process.stdout.write(`\n${reportOf(rows, PACKAGES, today()).summary}\n`)
  if (values.write) {
    const file = document.replace(/md$/, 'csv')
    const before = runsIn(readFileSync(file, 'utf8'), BUDGET_MS + GRACE_MS)
    const all = (['off', 'own'] as const).flatMap(kind =>
      faultsWith(kind).flatMap(fault =>
        CLI_NAMES.flatMap(cli => kept({ cli, fault, retries: kind }, before)),
      ),
    )
    const { markdown, csv } = reportOf(all, PACKAGES, today())
    writeFileSync(file, csv)
    const section = poolsIn(readFileSync(document, 'utf8'))
    writeFileSync(document, section === undefined ? markdown : withPools(markdown, section))
  }
  return rows.every(row => isRightOrHidden(row) && row.inBudget && row.leftBehind === 0) ? 0 : 1
}

const today = () => new Date().toISOString().slice(0, 10)

function faultsWith(retries: MatrixRow['retries']): readonly (MatrixFault | undefined)[] {
  return retries === 'off' ? FAULTS : [undefined, ...RETRIED]
}

async function pools(
  clis: readonly CliName[],
  bin: string,
  jobs: number,
  write: boolean,
  refusals: readonly string[] | undefined,
): Promise<number> {
  const asked = REFUSALS.filter(({ name }) => refusals?.includes(name) ?? true)
  const pairs = asked.flatMap(refusal => clis.map(cli => ({ cli, refusal })))
  const outcomes = await inTurn(pairs, jobs, async ({ cli, refusal }) => {
    const outcome = await runPool(cli, refusal, bin)
    printPool(outcome)
    return outcome
  })
  process.stdout.write(`\n${poolReport(poolsCsv(outcomes, PACKAGES)).summary}\n`)
  if (write) {
    const csv = poolsCsv(outcomes, PACKAGES, existsSync(poolsFile) ? readFileSync(poolsFile, 'utf8') : '')
    writeFileSync(poolsFile, csv)
    writeFileSync(document, withPools(readFileSync(document, 'utf8'), poolReport(csv).section))
  }
  return outcomes.every(isAnswered) ? 0 : 1
}

function printPool(outcome: PoolOutcome): void {
  const { first, second, refusal, answeredBy, failure, effect, verdict, durationMs, printed } = outcome
  mkdirSync(keptIn, { recursive: true, mode: 0o700 })
  const file = join(keptIn, `pool-${first}-${refusal.replaceAll(' ', '-')}.txt`)
  writeFileSync(file, printed, { mode: 0o600 })
  process.stdout.write(
    `${isAnswered(outcome) ? 'ok  ' : 'NO  '} ${refusal.padEnd(20)} ${`${first},${second}`.padEnd(16)} ${failure.padEnd(24)} ${effect.padEnd(6)} ${verdict.padEnd(10)} answered by ${(answeredBy ?? 'none').padEnd(9)} ${(durationMs / 1_000).toFixed(1).padStart(6)} s\n`,
  )
}

async function rowOf({ cli, fault, retries }: Pair, bin: string): Promise<MatrixRow> {
  const { failure, exit, durationMs, printed, calls, leftBehind } = await runCli(
    cli,
    bin,
    fault,
    retries === 'off',
  )
  const expected = fault === undefined ? null : expectedOf(cli, fault)
  const row: MatrixRow = {
    cli,
    fault: fault ?? 'none',
    retries,
    exit,
    got: failure === null ? null : { class: failure.class, kind: failure.kind },
    expected,
    classRight: (failure?.class ?? null) === (expected?.class ?? null),
    kindRight: isSameKind(failure?.kind ?? 'none', expected?.kind ?? 'none'),
    retryAfterMs: failure?.retryAfterMs,
    calls,
    durationMs,
    inBudget: durationMs < BUDGET_MS + GRACE_MS,
    leftBehind,
  }
  keep({ cli, fault, retries }, { row, failure, printed })
  const got = row.got === null ? 'success' : `${row.got.class}/${row.got.kind}`
  const wanted = expected === null ? 'success' : `${expected.class}/${expected.kind}`
  const mark = row.classRight ? (row.kindRight ? 'ok  ' : 'kind') : isRightOrHidden(row) ? 'hid ' : 'NO  '
  process.stdout.write(
    `${mark} ${row.fault.padEnd(20)} ${cli.padEnd(9)} exit ${row.exit.padEnd(8)} ${got.padEnd(30)} expected ${wanted.padEnd(30)} ${(row.durationMs / 1_000).toFixed(1).padStart(5)} s  ${calls} calls${leftBehind > 0 ? `  LEFT BEHIND ${leftBehind}` : ''}\n`,
  )
  return row
}

/** Whether the class is right, or wrong only because the CLI hides the cause. */
function isRightOrHidden({ cli, fault, classRight }: MatrixRow): boolean {
  return classRight || hiddenIn(cli, fault) !== undefined
}

/** Stores everything a run printed, to investigate a wrong class. */
function keep(pair: Pair, seen: object): void {
  mkdirSync(keptIn, { recursive: true, mode: 0o700 })
  writeFileSync(fileOf(pair), `${JSON.stringify(seen, null, 2)}\n`, { mode: 0o600 })
}

/** The row of the last run of a pair, if there was one: on this machine, or in the report of another. */
function kept(pair: Pair, before: readonly MatrixRow[]): MatrixRow[] {
  const file = fileOf(pair)
  if (existsSync(file)) return [(JSON.parse(readFileSync(file, 'utf8')) as { row: MatrixRow }).row]
  const { cli, fault = 'none', retries } = pair
  return before.filter(row => row.cli === cli && row.fault === fault && row.retries === retries)
}

function fileOf({ cli, fault, retries }: Pair): string {
  return join(keptIn, `${cli}-${fault ?? 'none'}${retries === 'own' ? '-own' : ''}.json`)
}

/** Processes a list with some parallel jobs, and keeps the order. */
async function inTurn<T, R>(list: readonly T[], jobs: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async () => {
    while (next < list.length) {
      const index = next++
      results[index] = await work(list[index] as T)
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, jobs) }, worker))
  return results
}

process.exitCode = await main()
