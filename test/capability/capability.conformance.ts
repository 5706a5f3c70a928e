import { describe, expect, it } from 'vitest'
import type { Capability } from '../../src/capability/capability.ts'
import { verify } from '../../src/capability/verify.ts'
import { runWork, workFailure } from '../../src/capability/work.ts'
import { testContext } from './context.ts'

/** What a capability under test must do. */
export type Behaviour =
  /** Return the idempotency key and the run number, as "KEY/RUN". */
  | 'tell'
  /** Fail like an overloaded server. */
  | 'fail'
  /** Run until stopped. */
  | 'hang'

export type VerifyBehaviour = 'done' | 'absent' | 'unsure' | 'hang'

/** What every kind of capability must do. */
export function capabilityConformance(kind: string, make: (behaviour: Behaviour) => Capability): void {
  describe(`work of kind ${kind}`, () => {
    it('knows its idempotency key and its run number', async () => {
      const outcome = await runWork(make('tell'), {}, testContext({ idempotencyKey: 'op-7', run: 12 }))
      expect(outcome).toEqual({ ended: 'returned', value: 'op-7/12' })
    })

    it('fails with what the classifier needs', async () => {
      const outcome = await runWork(make('fail'), {}, testContext())
      expect(outcome.ended).toBe('threw')
      expect(workFailure(outcome, {})).toMatchObject({ class: 'transient', kind: 'overloaded' })
    })

    it('ends when it is aborted, and may have had an effect', async () => {
      const controller = new AbortController()
      const running = runWork(make('hang'), {}, testContext({ signal: controller.signal }))
      controller.abort()
      const outcome = await running
      expect(outcome).toMatchObject({ ended: 'aborted', isBegun: true, isStillRunning: false })
      expect(workFailure(outcome, {})).toMatchObject({ class: 'aborted', effect: 'maybe' })
    })

    it('ends at its deadline', async () => {
      const outcome = await runWork(make('hang'), {}, testContext({ remainingMs: 50 }))
      expect(outcome).toMatchObject({ ended: 'timedOut', isStillRunning: false })
      expect(workFailure(outcome, {})).toMatchObject({ class: 'timeout', effect: 'maybe' })
    })
  })
}

/** What every way to verify must do. */
export function verificationConformance(
  kind: string,
  make: (behaviour: VerifyBehaviour, timeoutMs: number) => Capability,
): void {
  describe(`a verification by ${kind}`, () => {
    it.each(['done', 'absent', 'unsure'] as const)('answers that the effect is %s', async state => {
      expect(await verify(make(state, 60_000), {}, testContext())).toMatchObject({ state })
    })

    it('is unsure when it takes too long, and when it is aborted', async () => {
      expect(await verify(make('hang', 50), {}, testContext())).toMatchObject({ state: 'unsure' })
      const controller = new AbortController()
      const asked = verify(make('hang', 60_000), {}, testContext({ signal: controller.signal }))
      controller.abort()
      expect(await asked).toMatchObject({ state: 'unsure' })
    })
  })
}
