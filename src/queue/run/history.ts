import type { Capability } from '../../capability/capability.ts'
import type { PastAttempt, ResumeFrom } from '../../capability/context.ts'
import { mayRunAgain } from '../../capability/retry-policy.ts'
import type { Failure } from '../../failure/failure.ts'
import { present } from '../../failure/present.ts'
import type { Attempt, NewAttempt } from '../../ledger/attempt.ts'
import type { RunningOperation } from '../../ledger/operation.ts'

/** Earlier tries of an operation, and which of their effects are still open questions. */
export class History {
  readonly attempts: PastAttempt[]
  readonly #capability: Pick<Capability, 'retry' | 'resumable'>
  /** Attempts before this one are settled: they had no effect, or a person accepted the risk. */
  #answered = 0
  /** The session that a resume would continue. */
  session: string | undefined

  constructor(capability: Pick<Capability, 'retry' | 'resumable'>, attempts: readonly Attempt[]) {
    this.#capability = capability
    this.attempts = attempts.map(pastAttempt)
  }

  /** Attempts whose effect is unknown. */
  get open(): readonly PastAttempt[] {
    return this.attempts.slice(this.#answered)
  }

  /** Settles attempts: none of them had an effect, or a person accepted the risk that one did. */
  answer(until = this.attempts.length): void {
    this.#answered = until
  }

  add(attempt: NewAttempt, run: number): void {
    this.attempts.push(this.past(attempt, run))
  }

  /** An attempt as it will appear after the others. */
  past(attempt: NewAttempt, run: number): PastAttempt {
    return pastAttempt({ ...attempt, number: this.attempts.length + 1, run })
  }

  /**
   * A failure as the policy must see it: what an earlier try may have done stays done, even if this one was refused at the door;
   * and a session that was begun can still be resumed.
   */
  lifted(failure: Failure): Failure {
    const sessionId = failure.sessionId ?? this.session
    const isOpen = failure.effect === 'none' && !mayRunAgain(this.#capability, this.open)
    if (!isOpen && sessionId === failure.sessionId) return failure
    return {
      ...failure,
      ...(isOpen ? { effect: 'maybe' as const } : {}),
      ...present({ sessionId }),
    }
  }

  /** The session that a run resumes, and its provider. */
  resumption(
    { mode, agentSession, folder }: RunningOperation,
    pool: readonly string[],
  ): Resumption | undefined {
    if (mode !== 'resume' || agentSession === undefined || !this.#capability.resumable) return undefined
    const ofSession = this.attempts.filter(({ sessionId }) => sessionId === agentSession)
    const last = ofSession.at(-1)
    const costs = ofSession.flatMap(({ costUsd }) => costUsd ?? [])
    const provider = last?.provider ?? (pool.length === 1 ? pool[0] : undefined)
    return {
      resume: {
        sessionId: agentSession,
        ...present({ cwd: folder }),
        ...(last?.failure ? { failure: last.failure } : {}),
        // A CLI reports the total of its session: without this the work would count its earlier tries again.
        ...(costs.length === 0 ? {} : { costUsd: costs.reduce((sum, cost) => sum + cost) }),
      },
      ...present({ provider }),
    }
  }
}

/** A session to resume, and its provider, if known. */
export interface Resumption {
  resume: ResumeFrom
  provider?: string
}

function pastAttempt(attempt: NewAttempt & { number: number; run: number }): PastAttempt {
  const { number, run, startedAt, endedAt, provider, failure, verdict, costUsd, sessionId } = attempt
  return {
    number,
    run,
    startedAt,
    endedAt,
    ...present({ provider, failure, verdict, costUsd, sessionId }),
  }
}
