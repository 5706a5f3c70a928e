import { describe, expect, it } from 'vitest'
import type { LedgerEvent } from '../src/ledger/event.ts'
import { crash } from './crash.ts'
import { HARMS, isPossible } from './crash-harm.ts'
import { crashNotices } from './crash-notices.ts'
import { crashQueue } from './crash-queue.ts'
import { staleIn } from './crash-report.ts'

describe('the crash ledger, in short', () => {
  it('loses nothing and accepts no stale settle, while runners are killed and stopped and providers blocked', async () => {
    const report = await crash({ minutes: 0.06, ops: 300, leaseMs: 800 })
    expect(report).toMatchObject({ submitted: 300, lost: 0, staleSettles: 0, findings: [] })
    expect(report.succeeded + report.dead).toBe(300)
    expect(report.succeeded).toBeGreaterThan(200)
    expect(report.held).toBeGreaterThan(0)
  }, 180_000)

  it('lets no verified effect happen twice, and loses none, with real capabilities', async () => {
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
    // Work that must not run twice dies of what it may have done; work that can be asked about never does.
    expect(report.dead).toBeGreaterThan(0)
    expect(report.succeeded + report.dead).toBe(200)
  }, 240_000)

  it('tells of everything over kill -9, and twice only where nobody can be asked', async () => {
    const report = await crashNotices({ kills: 2, ops: 4 })
    expect(report).toMatchObject({ kills: 2, notices: 4, wrong: 0, findings: [] })
    expect(Object.values(report.surfaces).map(({ lost }) => lost)).toEqual(Array(10).fill(0))
    for (const name of ['webhook', 'github', 'gitea', 'obsidian', 'vault'])
      expect(report.surfaces[name]?.twice, name).toBe(0)
  }, 240_000)

  it('would see a stale settle', () => {
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
