import {
  type Capability,
  type PastAttempt,
  type ResumeFrom,
  type RunFacts,
  runWork,
  type WorkOutcome,
} from '../../capability/index.ts'
import type { ClaimedRun } from '../../engine/index.ts'
import type { Failure } from '../../failure/index.ts'
import type { NewAttempt } from '../../ledger/index.ts'
import type { Cost, Permit } from '../../provider/index.ts'
import type { Verdict } from '../../verdict/index.ts'
import type { Recorder } from './recorder.ts'
import type { Surroundings } from '../surroundings.ts'

export interface TrySettings {
  surroundings: Surroundings
  capability: Capability
  params: unknown
  run: ClaimedRun
  attempts: readonly PastAttempt[]
  permit: Permit | undefined
  /** Several could have served it. */
  isPool: boolean
  resume: ResumeFrom | undefined
  remainingMs: number
  signal: AbortSignal
  recorder: Recorder
}

/** One try of an operation's work, and what it cost. */
export class OneTry {
  readonly startedAt: number
  readonly provider: string | undefined
  sessionId: string | undefined
  readonly #settings: TrySettings
  #costUsd: number | null = null
  #tokens: number | null = null

  constructor(settings: TrySettings) {
    this.#settings = settings
    this.startedAt = settings.surroundings.time.now()
    this.provider = settings.permit?.provider
    this.sessionId = settings.resume?.sessionId
  }

  get cost(): Cost {
    return { costUsd: this.#costUsd, tokens: this.#tokens }
  }

  async do(): Promise<WorkOutcome> {
    const { surroundings, capability, params, run, attempts, isPool, resume, remainingMs, signal, recorder } =
      this.#settings
    // Who serves it must be known after a crash: its session lives there.
    if (this.provider !== undefined && isPool) recorder.write({ provider: this.provider })
    return runWork(
      capability,
      params,
      {
        signal,
        run: run.fence.run,
        idempotencyKey: idempotencyKey(run),
        attempts,
        attempt: attempts.length + 1,
        provider: this.provider,
        remainingMs,
        resume,
        env: surroundings.env,
        charge: spent => this.#charge(spent),
        record: facts => this.#record(facts),
      },
      { time: surroundings.time },
    )
  }

  /** The try as it is written down. */
  attempt(failure?: Failure, verdict?: Verdict, note?: unknown): NewAttempt {
    const costUsd = this.#costUsd ?? failure?.costUsd
    const sessionId = failure?.sessionId ?? this.sessionId
    return {
      startedAt: this.startedAt,
      endedAt: this.#settings.surroundings.time.now(),
      ...(this.provider === undefined ? {} : { provider: this.provider }),
      ...(failure?.model === undefined ? {} : { model: failure.model }),
      ...(failure ? { failure } : {}),
      ...(verdict ? { verdict } : {}),
      ...(costUsd === undefined ? {} : { costUsd }),
      ...(failure?.turns === undefined ? {} : { turns: failure.turns }),
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(note === undefined ? {} : { note }),
    }
  }

  #charge({ usd, tokens }: { usd?: number; tokens?: number }): void {
    if (tokens !== undefined) this.#tokens = (this.#tokens ?? 0) + checked('tokens', tokens)
    if (usd === undefined) return
    this.#costUsd = (this.#costUsd ?? 0) + checked('usd', usd)
    this.#settings.recorder.write({ costUsd: this.#costUsd })
  }

  #record({ sessionId, cwd, costUsd }: RunFacts): void {
    if (sessionId !== undefined) this.sessionId = sessionId
    if (costUsd !== undefined) this.#costUsd = checked('costUsd', costUsd)
    this.#settings.recorder.write({
      ...(sessionId === undefined ? {} : { agentSession: sessionId }),
      ...(cwd === undefined ? {} : { folder: cwd }),
      ...(costUsd === undefined ? {} : { costUsd }),
    })
  }
}

/** The same for all tries of an operation, and no other operation's, whatever ledger that is in. */
export function idempotencyKey({ operation }: Pick<ClaimedRun, 'operation'>): string {
  return `${operation.id}.${operation.createdAt.toString(36)}`
}

/** What the work threw or returned, as it was. */
export function causeOf(outcome: WorkOutcome): unknown {
  return outcome.ended === 'returned' ? outcome.value : 'error' in outcome ? outcome.error : outcome.reason
}

function checked(what: string, amount: number): number {
  if (typeof amount === 'number' && amount >= 0 && amount < Infinity) return amount
  throw new TypeError(`${what} must be a number, 0 or more, not ${amount}`)
}
