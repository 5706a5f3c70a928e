import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkLedger } from '../ledger/sqlite/check.ts'
import { openLedger, type SqliteLedger } from '../ledger/sqlite/sqlite-ledger.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { EmbeddedEngine } from './embedded/embedded-engine.ts'
import type { ClaimedRun } from './engine.ts'

const LEASE_MS = 10_000
const RUNNERS = ['r0', 'r1', 'r2'] as const
const about = { reason: 'chance', rule: 'model' }

/** What the model knows about an operation: the minimum that the promises need. */
interface ModelOperation {
  state: 'scheduled' | 'running' | 'parked' | 'succeeded' | 'dead'
  dueAt: number
  priority: number
  run: number
  retries: number
  snoozes: number
  attempts: number
  cancelRequested: boolean
  /** Monotonic time of the claim or last renewal. */
  renewedAt: number
  holder?: string
}

interface Model {
  operations: Map<string, ModelOperation>
}

/** The real system: several runners on one file, each with its own connection and engine. */
interface Real {
  time: FakeTime
  runners: Map<string, { ledger: SqliteLedger; engine: EmbeddedEngine }>
  file: string
  /** All runs that a runner ever had, including stale ones, which may be settled late. */
  runs: ClaimedRun[]
}

type Command = fc.AsyncCommand<Model, Real>

const engineOf = (real: Real, runner: string) => real.runners.get(runner)?.engine as EmbeddedEngine

async function reopen(real: Real, runner: string): Promise<void> {
  const old = real.runners.get(runner)
  await old?.engine.close()
  await old?.ledger.close()
  const ledger = await openLedger({ file: real.file, time: real.time })
  real.runners.set(runner, { ledger, engine: new EmbeddedEngine({ ledger }) })
}

/** Compares the ledger with what the model expects. */
async function compare(model: Model, real: Real): Promise<void> {
  const { ledger } = real.runners.get('r0') as { ledger: SqliteLedger }
  for (const [id, expected] of model.operations) {
    const operation = await ledger.get(id)
    expect({ ...operation, id }).toMatchObject({
      id,
      state: expected.state,
      run: expected.run,
      retries: expected.retries,
      snoozes: expected.snoozes,
      attempts: expected.attempts,
      ...(expected.state === 'scheduled' ? { dueAt: expected.dueAt } : {}),
      ...(expected.state === 'running' ? { cancelRequested: expected.cancelRequested } : {}),
    })
  }
}

class Submit implements Command {
  readonly #runner: string
  readonly #priority: number
  readonly #delayMs: number
  constructor(runner: string, priority: number, delayMs: number) {
    this.#runner = runner
    this.#priority = priority
    this.#delayMs = delayMs
  }
  check = () => true
  async run(model: Model, real: Real): Promise<void> {
    const dueAt = real.time.now() + this.#delayMs
    const [inserted] = await engineOf(real, this.#runner).schedule([
      { capability: 'a', params: null, priority: this.#priority, dueAt },
    ])
    expect(inserted).toMatchObject({ created: true, dueAt })
    model.operations.set(inserted?.id as string, {
      state: 'scheduled',
      dueAt,
      priority: this.#priority,
      run: 0,
      retries: 0,
      snoozes: 0,
      attempts: 0,
      cancelRequested: false,
      renewedAt: 0,
    })
    await compare(model, real)
  }
  toString = () => `submit(${this.#runner}, priority ${this.#priority}, in ${this.#delayMs} ms)`
}

class Claim implements Command {
  readonly #runner: string
  readonly #limit: number
  constructor(runner: string, limit: number) {
    this.#runner = runner
    this.#limit = limit
  }
  check = () => true
  async run(model: Model, real: Real): Promise<void> {
    const now = real.time.now()
    const { runs } = await engineOf(real, this.#runner).claim({
      runner: this.#runner,
      capabilities: ['a'],
      limit: this.#limit,
      leaseMs: LEASE_MS,
    })
    const lost = runs.filter(run => run.lost !== undefined)
    for (const { fence } of lost) {
      const operation = model.operations.get(fence.id) as ModelOperation
      // Taken from another runner, and only after the lease was not renewed for its whole length.
      expect(operation.state).toBe('running')
      expect(operation.holder).not.toBe(this.#runner)
      expect(real.time.monotonic() - operation.renewedAt).toBeGreaterThanOrEqual(LEASE_MS)
    }
    const due = [...model.operations]
      .filter(([, operation]) => operation.state === 'scheduled' && operation.dueAt <= now)
      .sort(
        ([a, one], [b, other]) =>
          other.priority - one.priority || one.dueAt - other.dueAt || Number(a.slice(3)) - Number(b.slice(3)),
      )
      .slice(0, this.#limit - lost.length)
    expect(runs.slice(lost.length).map(({ fence }) => fence.id)).toEqual(due.map(([id]) => id))
    for (const run of runs) {
      const operation = model.operations.get(run.fence.id) as ModelOperation
      expect(run.fence.run).toBe(operation.run + 1)
      operation.state = 'running'
      operation.run++
      operation.holder = this.#runner
      operation.renewedAt = real.time.monotonic()
      real.runs.push(run)
    }
    await compare(model, real)
  }
  toString = () => `claim(${this.#runner}, ${this.#limit})`
}

type RunAction = (typeof RUN_ACTIONS)[number]
const RUN_ACTIONS = ['succeed', 'retry', 'snooze', 'park', 'die', 'release', 'append', 'renew'] as const

/** An action of a holder on its run; a stale one must change nothing. */
class EndRun implements Command {
  readonly #pick: number
  readonly #how: RunAction
  constructor(pick: number, how: RunAction) {
    this.#pick = pick
    this.#how = how
  }
  check = () => true
  async run(model: Model, real: Real): Promise<void> {
    const run = real.runs[this.#pick % Math.max(1, real.runs.length)]
    if (!run) return
    const operation = model.operations.get(run.fence.id) as ModelOperation
    const holds = operation.state === 'running' && operation.run === run.fence.run
    const engine = engineOf(real, 'r1')
    const now = real.time.now()
    const attempt = { startedAt: now, endedAt: now }
    if (this.#how === 'renew') {
      const [renewal] = await engine.renew([run.fence])
      expect(renewal?.held).toBe(holds)
      if (holds) operation.renewedAt = real.time.monotonic()
    } else if (this.#how === 'append') {
      expect((await engine.append(run.fence, attempt)).settled).toBe(holds)
      if (holds) operation.attempts++
    } else if (this.#how === 'release') {
      expect((await engine.release(run.fence)).settled).toBe(holds)
      if (holds) end(operation, 'scheduled', now)
    } else {
      const settled = await engine.settle(run.fence, { ...settlementOf(this.#how, now), attempt })
      expect(settled.settled).toBe(holds)
      if (holds) {
        operation.attempts++
        const again = { retry: now + 5_000, snooze: now + 60_000 }
        if (this.#how === 'succeed') operation.state = 'succeeded'
        else if (this.#how === 'retry' || this.#how === 'snooze') {
          if (!operation.cancelRequested) operation[this.#how === 'retry' ? 'retries' : 'snoozes']++
          end(operation, 'scheduled', again[this.#how])
        } else end(operation, this.#how === 'park' ? 'parked' : 'dead', now)
      }
    }
    await compare(model, real)
  }
  toString = () => `${this.#how}(run ${this.#pick})`
}

function end(operation: ModelOperation, state: ModelOperation['state'], dueAt: number): void {
  operation.state = operation.cancelRequested ? 'dead' : state
  operation.dueAt = dueAt
  operation.cancelRequested = false
}

function settlementOf(how: 'succeed' | 'retry' | 'snooze' | 'park' | 'die', now: number) {
  switch (how) {
    case 'succeed':
      return { succeeded: true } as const
    case 'retry':
      return { verdict: { action: 'retry', delayMs: 5_000, mode: 'again', ...about } } as const
    case 'snooze':
      return { verdict: { action: 'snooze', until: now + 60_000, mode: 'again', ...about } } as const
    case 'park':
      return { verdict: { action: 'park', for: 'login', ...about } } as const
    case 'die':
      return { verdict: { action: 'cancel', as: 'refused', ...about } } as const
  }
}

/** An action of a person on an operation. */
class Move implements Command {
  readonly #pick: number
  readonly #how: 'cancel' | 'unpark' | 'revive'
  constructor(pick: number, how: 'cancel' | 'unpark' | 'revive') {
    this.#pick = pick
    this.#how = how
  }
  check = (model: Readonly<Model>) => model.operations.size > 0
  async run(model: Model, real: Real): Promise<void> {
    const entries = [...model.operations]
    const [id, operation] = entries[this.#pick % entries.length] as [string, ModelOperation]
    const engine = engineOf(real, 'r2')
    const now = real.time.now()
    if (this.#how === 'cancel') {
      const waits = operation.state === 'scheduled' || operation.state === 'parked'
      const expected = waits ? 'cancelled' : operation.state === 'running' ? 'requested' : 'ended'
      expect(await engine.cancel([id])).toEqual([expected])
      if (waits) operation.state = 'dead'
      else if (operation.state === 'running') operation.cancelRequested = true
    } else if (this.#how === 'unpark') {
      expect(await engine.unpark([id], { by: 'caller', reason: 'there' })).toEqual([
        operation.state === 'parked',
      ])
      if (operation.state === 'parked') end(operation, 'scheduled', now)
    } else {
      expect(await engine.revive([id])).toEqual([operation.state === 'dead'])
      if (operation.state === 'dead') {
        end(operation, 'scheduled', now)
        operation.retries = operation.snoozes = 0
      }
    }
    await compare(model, real)
  }
  toString = () => `${this.#how}(operation ${this.#pick})`
}

/** A process dies and another starts: what it knew about leases is gone, and its runs stay running. */
class Crash implements Command {
  readonly #runner: string
  constructor(runner: string) {
    this.#runner = runner
  }
  check = () => true
  async run(model: Model, real: Real): Promise<void> {
    await reopen(real, this.#runner)
    await compare(model, real)
  }
  toString = () => `crash(${this.#runner})`
}

class Pass implements Command {
  readonly #ms: number
  readonly #jump: boolean
  constructor(ms: number, jump: boolean) {
    this.#ms = ms
    this.#jump = jump
  }
  check = () => true
  async run(_model: Model, real: Real): Promise<void> {
    if (this.#jump) real.time.jump(this.#ms)
    else await real.time.advance(Math.abs(this.#ms))
  }
  toString = () => (this.#jump ? `clock jumps ${this.#ms} ms` : `${Math.abs(this.#ms)} ms pass`)
}

const runner = fc.constantFrom(...RUNNERS)
const pick = fc.nat(50)
const commands = fc.commands(
  [
    fc
      .tuple(runner, fc.integer({ min: -2, max: 2 }), fc.constantFrom(0, 0, 3_000))
      .map(([by, priority, delay]) => new Submit(by, priority, delay)),
    fc.tuple(runner, fc.integer({ min: 1, max: 4 })).map(([by, limit]) => new Claim(by, limit)),
    fc.tuple(pick, fc.constantFrom(...RUN_ACTIONS)).map(([which, how]) => new EndRun(which, how)),
    fc
      .tuple(pick, fc.constantFrom('cancel' as const, 'unpark' as const, 'revive' as const))
      .map(([which, how]) => new Move(which, how)),
    runner.map(by => new Crash(by)),
    fc.constantFrom(1_000, 6_000, LEASE_MS, 70_000).map(ms => new Pass(ms, false)),
    fc.constantFrom(-3_600_000, -500, 500, 3_600_000).map(ms => new Pass(ms, true)),
  ],
  { maxCommands: 60 },
)

describe('the engine, compared with a model', () => {
  it('matches the model for any runners, people, crashes and clocks', async () => {
    await fc.assert(
      fc.asyncProperty(commands, async sequence => {
        const folder = mkdtempSync(join(tmpdir(), 'mulligan-model-'))
        const real: Real = {
          time: new FakeTime(),
          runners: new Map(),
          file: join(folder, 'ledger.db'),
          runs: [],
        }
        try {
          for (const name of RUNNERS) await reopen(real, name)
          await fc.asyncModelRun(() => ({ model: { operations: new Map() }, real }), sequence)
          const { ledger } = real.runners.get('r0') as { ledger: SqliteLedger }
          expect(ledger.read(checkLedger)).toEqual([])
        } finally {
          for (const { engine, ledger } of real.runners.values()) {
            await engine.close()
            await ledger.close()
          }
          rmSync(folder, { recursive: true })
        }
      }),
      { numRuns: Number(process.env.MODEL_RUNS ?? 60) },
    )
  })
})
