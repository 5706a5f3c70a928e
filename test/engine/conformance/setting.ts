import { afterEach, beforeEach, expect } from 'vitest'
import { ClaimLoop, type ClaimLoopOptions } from '../../../src/engine/claim-loop.ts'
import type { ClaimedRun, ClaimRequest, Engine } from '../../../src/engine/engine.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import type { NewOperation } from '../../../src/ledger/operation.ts'
import type { TestTime } from '../../ledger/conformance/setting.ts'

/** An engine and its ledger, twice on the same data, as in two processes. */
export interface EngineUnderTest {
  ledger: Ledger
  engine: Engine
  /** The same, as seen by another process, with its own monotonic clock. */
  other: { ledger: Ledger; engine: Engine }
  time: TestTime
  /** Waits for pending requests to a server. Default: nothing, because a file answers at once. */
  answered?: () => Promise<void>
  close: () => Promise<void>
}

export const LEASE_MS = 30_000

/** The engine of the current test with its ledger, and the same data as seen by another process. */
export let ledger: Ledger
export let engine: Engine
export let other: EngineUnderTest['other']
export let time: TestTime
let answered: () => Promise<void>

/** Gives each test of the current `describe` its own engine. */
export function eachTest(make: () => Promise<EngineUnderTest>): void {
  let close: () => Promise<void>
  beforeEach(async () => {
    ;({ ledger, engine, other, time, answered = async () => {}, close } = await make())
  })
  afterEach(async () => {
    // No test may break a promise of the ledger.
    const findings = await ledger.check()
    await close()
    expect(findings).toEqual([])
  })
}

/** Advances time in steps, and waits for all pending answers after each: a server's answers take none of this time. */
export const pass = async (ms: number, steps: number): Promise<void> => {
  for (let step = 0; step < steps; step++) {
    await time.advance(ms / steps)
    await answered()
  }
}

export const submit = async (more: Partial<NewOperation> = {}): Promise<string> => {
  const [inserted] = await engine.schedule([{ capability: 'a', params: null, ...more }])
  return inserted?.id as string
}
export const runnerOf = (
  more: Omit<ClaimLoopOptions, 'ledger' | 'engine' | 'id' | 'capabilities'> & { engine?: Engine },
): ClaimLoop => new ClaimLoop({ ledger, engine, id: 'r1', capabilities: ['a'], time, ...more })
export const claim = async (
  more: Partial<ClaimRequest> = {},
  by: Engine = engine,
): Promise<readonly ClaimedRun[]> => {
  const request = { runner: 'r1', capabilities: ['a'], limit: 10, leaseMs: LEASE_MS, ...more }
  return (await by.claim(request)).runs
}
export const ids = (runs: readonly ClaimedRun[]) => runs.map(({ operation }) => operation.id)
export const first = async (more: Partial<ClaimRequest> = {}): Promise<ClaimedRun> =>
  (await claim({ limit: 1, ...more }))[0] as ClaimedRun
