import { type Signal, useSignal } from '@preact/signals'
import { doubtOf } from '../api/doubt.ts'
import { problemOf } from '../api/problem.ts'

/** What a person accepts with a second request. */
export interface Accepted {
  may_repeat?: true
}

/** A form that is sent: what refuses it stays in the form, and what may happen twice is asked first. */
export interface Sending {
  problem: Signal<string | undefined>
  /** What may happen twice; to be asked before it is sent again. */
  doubt: Signal<string | undefined>
  send(accepted?: Accepted): Promise<void>
}

/** @param work sends it, and closes the form */
export function useSending(work: (accepted: Accepted) => Promise<void>): Sending {
  const problem = useSignal<string | undefined>(undefined)
  const doubt = useSignal<string | undefined>(undefined)
  const send = async (accepted: Accepted = {}) => {
    problem.value = undefined
    try {
      await work(accepted)
    } catch (error) {
      doubt.value = doubtOf(error)
      if (doubt.value === undefined) problem.value = problemOf(error).message
    }
  }
  return { problem, doubt, send }
}
