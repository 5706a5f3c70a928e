import { describe, expect, it } from 'vitest'
import type { LedgerEvent } from '../src/ledger/event.ts'
import { BUILT_COMMAND } from '../test/cli/command.ts'
import { hasPostgresPrograms } from '../test/ledger/postgres/private-server.ts'
import { crash } from './crash.ts'
import { HARMS, isPossible } from './crash-harm.ts'
import { crashMcp } from './crash-mcp.ts'
import { crashNotices } from './crash-notices.ts'
import { crashPostgres } from './crash-postgres.ts'
import { crashQueue } from './crash-queue.ts'
import { staleIn } from './crash-report.ts'
import { crashWorkflow } from './crash-workflow.ts'

describe('the crash test, in short', () => {
  it('loses nothing and accepts no stale settle while runners are killed and stopped and providers blocked', async () => {
    const report = await crash({ minutes: 0.06, ops: 300, leaseMs: 800 })
    expect(report).toMatchObject({ submitted: 300, lost: 0, staleSettles: 0, findings: [] })
    expect(report.succeeded + report.dead).toBe(300)
    expect(report.succeeded).toBeGreaterThan(200)
    expect(report.held).toBeGreaterThan(0)
  }, 180_000)

  it('repeats no verified effect and loses none, with real capabilities', async () => {
    const report = await crashQueue({ minutes: 0.08, ops: 200, leaseMs: 1_000 })
    expect(report).toMatchObject({
      submitted: 200,
      lost: 0,
      twice: 0,
      stuck: 0,
      wronglyExpired: 0,
      missing: 0,
      wronglyDead: 0,
      findings: [],
    })
    for (const harm of HARMS.filter(isPossible)) expect(report.harms[harm]).toBeGreaterThan(0)
    // Work that must not run twice may die as unverifiable; verifiable work never does.
    expect(report.dead).toBeGreaterThan(0)
    expect(report.succeeded + report.dead).toBe(200)
  }, 240_000)

  it('loses nothing on PostgreSQL while daemons are killed, stopped and cut off, and the server restarts', async ({
    skip,
  }) => {
    skip(!hasPostgresPrograms, 'the programs of a PostgreSQL server are not installed')
    const options = { minutes: 0.05, ops: 60, daemons: 2, kills: 1, restarts: 1, leaseMs: 1_000 }
    expect(await crashPostgres(options)).toMatchObject({
      submitted: 60,
      lost: 0,
      settledTwice: 0,
      twice: 0,
      stuck: 0,
      missing: 0,
      wronglyDead: 0,
      findings: [],
    })
  }, 240_000)

  it('delivers every notice over kill -9, and twice only where a surface cannot be asked', async () => {
    const report = await crashNotices({ kills: 2, ops: 4 })
    expect(report).toMatchObject({ kills: 2, notices: 4, wrong: 0, findings: [] })
    expect(Object.values(report.surfaces).map(({ lost }) => lost)).toEqual(Array(10).fill(0))
    for (const name of ['webhook', 'github', 'gitea', 'obsidian', 'vault'])
      expect(report.surfaces[name]?.twice, name).toBe(0)
  }, 240_000)

  it('answers every MCP tool call and repeats nothing unsafe while the server dies and the wrap is killed', async () => {
    const report = await crashMcp({
      calls: 40,
      kills: 1,
      transport: 'stdio',
      era: 'session',
      command: BUILT_COMMAND,
      isWaitedFor: false,
    })
    expect(report).toMatchObject({
      unanswered: 0,
      unsafe: 0,
      untrue: 0,
      silent: 0,
      notRecovered: 0,
      leftOver: 0,
    })
    expect(report.answered + report.broken).toBe(40)
    expect(report.deaths).toBeGreaterThan(0)
    expect(report.succeeded).toBeGreaterThan(10)
  })

  it('finishes every workflow run once while two processes that run its steps are killed', async () => {
    const report = await crashWorkflow({ kills: 2, runs: 8 })
    expect(report).toEqual({
      kills: 2,
      runs: 8,
      succeeded: 8,
      notFinished: 0,
      endedTwice: 0,
      startedTwice: 0,
      missing: 0,
      twice: 0,
      findings: [],
    })
  }, 240_000)

  it('would notice a stale settle', () => {
    const event = (type: LedgerEvent['type'], run?: number): LedgerEvent => ({
      id: 1,
      at: 0,
      type,
      ...(run === undefined ? {} : { run }),
    })
    const honest = [event('submitted'), event('claimed', 1), event('taken_over', 2), event('succeeded', 2)]
    expect(staleIn(honest)).toBe(0)
    expect(staleIn([...honest.slice(0, 3), event('succeeded', 1)])).toBe(1)
    expect(staleIn([...honest, event('dead', 2)])).toBe(1)
  })
})
