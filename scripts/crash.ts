import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { EmbeddedEngine } from '../src/engine/embedded/embedded-engine.ts'
import { openLedger } from '../src/ledger/sqlite/sqlite-ledger.ts'
import { quietly } from '../src/time/clean-up.ts'
import { startPrivatePostgres } from '../test/ledger/postgres/private-server.ts'
import { type CrashFailoverOptions, crashFailover } from './crash-failover.ts'
import { startLoad } from './crash-load.ts'
import { crashMcp, type McpCrashOptions } from './crash-mcp.ts'
import { crashNotices } from './crash-notices.ts'
import { type CrashPostgresOptions, crashPostgres } from './crash-postgres.ts'
import { crashQueue } from './crash-queue.ts'
import { type CrashReport, reportOf } from './crash-report.ts'
import { crashWorkflow } from './crash-workflow.ts'
import { runnerProgram } from './runner-program.ts'

// The crash test: runner processes share one ledger file and are killed, stopped and restarted at random moments while
// operations come in. Then all operations finish, and what happened is compared with what was promised.

export interface CrashOptions {
  /** How long runners are killed and stopped, in minutes. */
  minutes: number
  /** Number of operations submitted in that time. */
  ops: number
  runners?: number
  leaseMs?: number
}

/** Providers of an operation: none, one, or a pool. */
const PROVIDERS = [[], ['p'], ['q'], ['p', 'q']]

export async function crash({
  minutes,
  ops,
  runners = 4,
  leaseMs = 1_500,
}: CrashOptions): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-crash-'))
  const file = join(folder, 'ledger.db')
  const logs = { effects: join(folder, 'effects.log'), refusals: join(folder, 'refusals.log') }
  const ledger = await openLedger({ file })
  const engine = new EmbeddedEngine({ ledger })
  /** What was done to each runner, by its id. */
  const fates = new Map<string, { at: number; what: string }[]>()
  const note = (child: ChildProcess, what: string) => {
    const id = `runner-${child.pid}`
    fates.set(id, [...(fates.get(id) ?? []), { at: Date.now(), what }])
  }
  const children = new Set<ChildProcess>()
  const start = () => {
    const child = spawn(
      process.execPath,
      [...runnerProgram('crash-runner'), file, logs.effects, logs.refusals, `${leaseMs}`],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    )
    children.add(child)
    child.once('exit', () => children.delete(child))
    return child
  }
  // Short, so operations that need it are held and released many times.
  const block = (provider: string) =>
    engine.block(provider, Date.now() + 200 + Math.floor(Math.random() * 1_500))
  let held = 0
  const isHeld = async () => {
    const isNow = (await ledger.counts({ heldBy: 'p' })).held > 0
    if (isNow) held++
    return isNow
  }
  const pick = () => [...children][Math.floor(Math.random() * children.size)]
  try {
    // Blocked until the runners have started, however long that takes.
    await engine.block('p', 'cleared')
    for (let i = 0; i < runners; i++) start()
    const end = performance.now() + minutes * 60_000
    const ids: string[] = []
    const submitting = submit(engine, ids, ops, end)
    while (performance.now() < end) {
      await delay(100 + Math.random() * 900)
      const child = pick()
      if (!child?.pid) continue
      // A short block would end the first one of "p", which lasts until an operation was held for it.
      if (Math.random() < 0.5) await block(Math.random() < 0.5 && held > 0 ? 'p' : 'q')
      else if (await isHeld()) await engine.unblock('p')
      if (Math.random() < 0.6) {
        note(child, 'killed')
        child.kill('SIGKILL')
        start()
      } else {
        note(child, 'stopped past its lease')
        child.kill('SIGSTOP')
        void delay(leaseMs * (1.5 + 2 * Math.random())).then(() => child.kill('SIGCONT'))
      }
    }
    await submitting
    // On a busy machine nothing may have been due yet while "p" was blocked.
    for (let tries = 0; tries < 900 && held === 0; tries++) {
      await isHeld()
      await delay(100)
    }
    await engine.unblock('p')
    await drained(ledger, ops, start, children, runners)
    await stopAll(children)
    return { ...(await reportOf(ledger, ids, logs, fates)), held }
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await quietly(() => engine.close())
    await quietly(() => ledger.close())
    void quietly(() => rmSync(folder, { recursive: true, force: true }))
  }
}

/** Submits a few operations at a time until `end`, as callers would. */
async function submit(engine: EmbeddedEngine, ids: string[], ops: number, end: number): Promise<void> {
  while (ids.length < ops) {
    const count = Math.min(ops - ids.length, 1 + Math.floor(Math.random() * Math.ceil(ops / 50)))
    const inserted = await engine.schedule(
      Array.from({ length: count }, (_, n) => ({
        capability: 'effect',
        params: { n },
        priority: (n % 3) - 1,
        providers: PROVIDERS[n % PROVIDERS.length] as string[],
      })),
    )
    ids.push(...inserted.map(({ id }) => id))
    if (performance.now() < end) await delay(Math.random() * 50)
  }
}

/** Waits until all operations have ended, however slow the machine is. */
async function drained(
  ledger: Awaited<ReturnType<typeof openLedger>>,
  ops: number,
  start: () => ChildProcess,
  children: ReadonlySet<ChildProcess>,
  runners: number,
): Promise<void> {
  let last = -1
  let changedAt = performance.now()
  for (;;) {
    while (children.size < runners) start()
    const { states } = await ledger.counts()
    const ended = states.succeeded + states.dead
    if (ended >= ops) return
    if (ended !== last) changedAt = performance.now()
    last = ended
    // No progress for a minute: the rest is reported as lost.
    if (performance.now() - changedAt > 60_000) return
    await delay(200)
  }
}

async function stopAll(children: ReadonlySet<ChildProcess>): Promise<void> {
  const exits = [...children].map(child => new Promise(resolve => child.once('exit', resolve)))
  for (const child of children) {
    child.kill('SIGCONT')
    child.kill('SIGTERM')
  }
  await Promise.all(exits)
}

/** Kills of a long run. */
const LONG_KILLS = 300

/** Workflow runs per kill. */
const RUNS_PER_KILL = 5

async function crashOfWorkflows(kills: number, isOnPostgres: boolean): Promise<void> {
  const server = isOnPostgres ? await startPrivatePostgres([]) : undefined
  if (isOnPostgres && !server) throw new Error('the programs of a PostgreSQL server are not installed')
  const report = await crashWorkflow({
    kills,
    runs: kills * RUNS_PER_KILL,
    ...(server ? { database: server.url } : {}),
  }).finally(() => server?.stop())
  const { runs, succeeded, notFinished, endedTwice, startedTwice, missing, twice, findings } = report
  process.stdout.write(
    [
      `${isOnPostgres ? 'on PostgreSQL, ' : ''}${runs} runs of a workflow of five steps, two processes, ${kills} kill -9: ${succeeded} succeeded, ${notFinished} did not`,
      `ended twice ${endedTwice}, steps started twice ${startedTwice}, effects missing ${missing}, twice ${twice}`,
      `findings of the ledger check: ${findings.join('; ') || 'none'}`,
      '',
    ].join('\n'),
  )
  if (notFinished + endedTwice + startedTwice + missing + twice + findings.length > 0) process.exitCode = 1
}

async function crashOfCitizens(
  engine: string,
  jobs: number,
  kills: number,
  how: { isConnected: boolean; isBetween: boolean; isOnPostgres: boolean },
): Promise<void> {
  const { isConnected, isBetween, isOnPostgres } = how
  if (engine !== 'bullmq' && engine !== 'pg-boss' && engine !== 'graphile-worker')
    throw new Error(`--citizens takes bullmq, pg-boss or graphile-worker, not ${engine}`)
  // Loaded only now: the engines are optional.
  const { crashCitizens } = await import('./crash-citizens.ts')
  const report = await crashCitizens({ engine, jobs, kills, ...how })
  const { notDone, effectsTwice, effectsMissing, open = 0, findings } = report
  process.stdout.write(
    [
      `${engine}, ${isConnected ? `connected to a ledger ${isOnPostgres ? 'on PostgreSQL' : 'in a file'}` : 'without a ledger'}: 4 workers, ${jobs} jobs, ${report.killed} kill -9${isBetween ? ' between the write to the ledger and the one to the engine' : ''}, ${report.seconds.toFixed(0)} s`,
      `done ${report.done}, not done ${notDone}; effects twice ${effectsTwice}, missing ${effectsMissing}`,
      `${report.limits} limits; calls ${report.calls}, refused ${report.refused}, of these by the ${report.longLimits} limits of 3 s ${report.refusedLong}, begun more than a second into one ${report.refusedLate}`,
      ...(isConnected
        ? [
            `parked for a label ${report.parked}; operations not ended ${open}, ended without a report ${report.untold}`,
          ]
        : []),
      `findings of the ledger check: ${findings.join('; ') || 'none'}`,
      ...report.left,
      '',
    ].join('\n'),
  )
  if (notDone + effectsTwice + effectsMissing + open + findings.length > 0) process.exitCode = 1
}

async function main(): Promise<void> {
  const { values } = readArguments()
  const load = Number(values.load)
  if (!Number.isInteger(load) || load < 0) {
    process.stderr.write(
      `--load must be a number of programs that keep the machine busy, not ${values.load}\n`,
    )
    process.exitCode = 2
    return
  }
  const endLoad = startLoad(load)
  try {
    await run(values)
  } finally {
    endLoad()
  }
}

function readArguments() {
  return parseArgs({
    options: {
      minutes: { type: 'string' },
      ops: { type: 'string', default: '5000' },
      long: { type: 'boolean', default: false },
      notices: { type: 'boolean', default: false },
      mcp: { type: 'boolean', default: false },
      postgres: { type: 'boolean', default: false },
      failover: { type: 'string' },
      failovers: { type: 'string', default: '5' },
      calls: { type: 'string', default: '1000' },
      workflow: { type: 'boolean', default: false },
      citizens: { type: 'string' },
      alone: { type: 'boolean', default: false },
      between: { type: 'boolean', default: false },
      kills: { type: 'string' },
      restarts: { type: 'string', default: '2' },
      load: { type: 'string', default: '0' },
    },
  })
}

async function run(values: ReturnType<typeof readArguments>['values']): Promise<void> {
  const isLong = values.long || values.postgres
  const [minutes, ops] = [Number(values.minutes ?? (isLong ? 3 : 1)), Number(values.ops)]
  const isKind = values.failover === undefined || /^a?synchronous$/.test(values.failover)
  if (!(minutes > 0) || !Number.isInteger(ops) || ops < 1 || !isKind) {
    process.stderr.write(
      'usage: npm run crash -- [--long | --postgres --kills K --restarts R | --failover synchronous|asynchronous --failovers F | --notices --kills K | --mcp --calls N --kills K | --workflow [--postgres] --kills K | --citizens bullmq|pg-boss|graphile-worker [--alone | --between] [--postgres] --kills K] --minutes M --ops N [--load PROGRAMS]; M and N above 0\n',
    )
    process.exitCode = 2
    return
  }
  if (values.citizens !== undefined)
    return crashOfCitizens(values.citizens, ops, Number(values.kills ?? 50), {
      isConnected: !values.alone,
      isBetween: values.between,
      isOnPostgres: values.postgres,
    })
  if (values.workflow) return crashOfWorkflows(Number(values.kills ?? 100), values.postgres)
  const { failover: kind } = values
  if (kind === 'synchronous' || kind === 'asynchronous')
    return crashOfFailover({ minutes, ops, kind, failovers: Number(values.failovers) })
  if (values.postgres)
    return crashOnPostgres({
      minutes,
      ops,
      kills: Number(values.kills ?? 200),
      restarts: Number(values.restarts),
    })
  if (values.notices) return crashOfNotices(Number(values.kills ?? 50))
  if (values.mcp) return crashOfMcp(Number(values.calls), Number(values.kills ?? 50))
  const report = await crash({ minutes, ops })
  const repeated = Object.entries(report.repeated).map(([cause, count]) => `${cause}: ${count}`)
  process.stdout.write(
    [
      `submitted ${report.submitted}, succeeded ${report.succeeded}, dead ${report.dead}`,
      `operations were held for a blocked provider at ${report.held} looks`,
      `lost ${report.lost}`,
      `stale settles ${report.staleSettles} (${report.refusedSettles} came too late and were refused)`,
      `effects of operations run more than once: ${repeated.join(', ') || 'none'}`,
      `findings of the ledger check: ${report.findings.join('; ') || 'none'}`,
      '',
    ].join('\n'),
  )
  const real = await crashQueue({ minutes, ops, kills: values.long ? LONG_KILLS : 0 })
  process.stdout.write(
    [
      'with real capabilities: verified first, failing after their effect, and never run twice:',
      `submitted ${real.submitted}, succeeded ${real.succeeded}, dead ${real.dead}`,
      `runners killed ${real.harms.kill}, stopped past their lease ${real.harms.stop}, runs taken over ${real.takenOver}`,
      `clock stepped ${real.harms.clock}, disk full ${real.harms.full}, files moved ${real.harms.moved}, replaced ${real.harms.replaced}`,
      `lost / twice / stuck / wrongly expired: ${real.lost} / ${real.twice} / ${real.stuck} / ${real.wronglyExpired}`,
      `successes without their effect ${real.missing}, wrongly dead ${real.wronglyDead}`,
      `findings of the ledger check: ${real.findings.join('; ') || 'none'}`,
      '',
    ].join('\n'),
  )
  const isBroken = report.lost > 0 || report.staleSettles > 0 || report.findings.length > 0
  const { lost, twice, stuck, missing, wronglyDead, wronglyExpired, findings } = real
  if (isBroken || lost + twice + stuck + wronglyExpired + missing + wronglyDead + findings.length > 0)
    process.exitCode = 1
}

async function crashOnPostgres(options: CrashPostgresOptions): Promise<void> {
  const report = await crashPostgres(options)
  const { harms, lost, stuck, settledTwice, twice, missing, wronglyDead, wronglyExpired, findings } = report
  process.stdout.write(
    [
      `on PostgreSQL, 6 daemons: submitted ${report.submitted}, succeeded ${report.succeeded}, dead ${report.dead}`,
      `daemons killed ${harms.kill}, stopped past their lease ${harms.stop}, runs taken over ${report.takenOver}`,
      `server restarted ${harms.restart}, connections cut ${harms.cut}, swallowed ${harms.swallow}, cables pulled ${harms.pull}`,
      `lost / settled twice / verified effects twice: ${lost} / ${settledTwice} / ${twice}`,
      `stuck ${stuck}, wrongly expired ${wronglyExpired}, successes without their effect ${missing}, wrongly dead ${wronglyDead}`,
      `findings of the ledger check: ${findings.join('; ') || 'none'}`,
      '',
    ].join('\n'),
  )
  if (lost + stuck + settledTwice + twice + missing + wronglyDead + wronglyExpired + findings.length > 0)
    process.exitCode = 1
}

async function crashOfFailover(options: CrashFailoverOptions): Promise<void> {
  const report = await crashFailover(options)
  const { harms, lost, stuck, settledTwice, twice, missing, wronglyDead, wronglyExpired, findings } = report
  process.stdout.write(
    [
      `on PostgreSQL with ${options.kind} standby, 4 daemons: submitted ${report.submitted}, succeeded ${report.succeeded}, dead ${report.dead}`,
      `failovers ${harms.failover}, daemons killed ${harms.kill}, runs taken over ${report.takenOver}`,
      `lost / settled twice / verified effects twice: ${lost} / ${settledTwice} / ${twice}`,
      `stuck ${stuck}, wrongly expired ${wronglyExpired}, successes without their effect ${missing}, wrongly dead ${wronglyDead}`,
      `findings of the ledger check: ${findings.join('; ') || 'none'}`,
      '',
    ].join('\n'),
  )
  // An asynchronous standby loses what it had not received, and with it the record of effects.
  const harm = options.kind === 'synchronous' ? lost + twice : 0
  if (harm + stuck + settledTwice + missing + wronglyDead + wronglyExpired + findings.length > 0)
    process.exitCode = 1
}

/** Surfaces that can say whether a message has arrived, or that recognise a repeated delivery. */
const NEVER_TWICE = ['webhook', 'github', 'gitea', 'obsidian', 'vault']

async function crashOfNotices(kills: number): Promise<void> {
  const { surfaces, ...report } = await crashNotices({ kills, ops: kills * 2 })
  process.stdout.write(
    [
      `killed ${report.kills} times; ${report.notices} notices, ${report.wrong} missing or doubled; ${report.faults} faults of surfaces`,
      ...Object.entries(surfaces).map(
        ([name, { messages, lost, twice }]) => `${name}: ${messages} messages, lost ${lost}, twice ${twice}`,
      ),
      `findings of the ledger check: ${report.findings.join('; ') || 'none'}`,
      '',
    ].join('\n'),
  )
  const isLost = Object.values(surfaces).some(({ lost }) => lost > 0)
  const isTwice = NEVER_TWICE.some(name => (surfaces[name]?.twice ?? 0) > 0)
  if (isLost || isTwice || report.wrong > 0 || report.findings.length > 0) process.exitCode = 1
}

const MCP_RUNS: readonly Pick<McpCrashOptions, 'transport' | 'era' | 'server'>[] = [
  { transport: 'stdio', era: 'session' },
  { transport: 'stdio', era: 'stateless' },
  { transport: 'http', era: 'session' },
  { transport: 'http', era: 'stateless' },
  // An old client with a new server, and vice versa.
  { transport: 'stdio', era: 'session', server: 'stateless' },
  { transport: 'stdio', era: 'stateless', server: 'session' },
]

/** Tests every transport and era, first without and then with kills of the wrap itself. */
async function crashOfMcp(calls: number, kills: number): Promise<void> {
  // In parallel, because they mostly wait.
  for (const mostKills of [0, kills])
    await Promise.all(
      MCP_RUNS.map(async run => {
        const report = await crashMcp({ ...run, calls, kills: mostKills })
        const { answered, broken, unanswered, unsafe, untrue, silent, notRecovered, leftOver } = report
        const { era, transport, server = 'both' } = run
        process.stdout.write(
          `${transport}, client ${era}, server ${server}, wrap killed ${mostKills} times: ${calls} calls, answered ${answered} (succeeded ${report.succeeded}, queued ${report.queued}, of which results delivered ${report.delivered}, ended as perhaps carried out ${report.unsure}, as not carried out ${report.undone}), broken off by a kill ${broken}, without an answer ${unanswered}, unsafe repetitions ${unsafe}, untrue answers ${untrue}, answers that say nothing ${silent}, deaths ${report.deaths}, not recovered ${notRecovered}, left over ${leftOver}\n${report.missing.map(each => `  ${each}\n`).join('')}`,
        )
        const isWrong = unanswered + unsafe + untrue + silent + notRecovered + leftOver > 0
        if (isWrong || answered + broken !== calls || report.missing.length > 0) process.exitCode = 1
      }),
    )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
