import { ENGINE_PREFIX, holdInWords } from '../../../src/ledger/hold-words.ts'
import type { Operation } from '../api/answers.ts'
import { manyOf } from './number.ts'
import { stoppedInWords } from './stopped.ts'
import { clockInWords, distanceInWords, lengthInWords } from './time.ts'

/** Until when a parked operation waits. */
export const PARKED_UNTIL: Readonly<Record<string, string>> = {
  label: 'a person labels its failure',
  login: 'its provider accepts the login again',
  payment: 'its provider is paid',
  runner: 'a runner with its capability starts',
  secret: 'the key or variable it needs is set',
  parameters: 'its parameters are corrected',
}

/**
 * Why an operation is in its state, and what happens next.
 * @param until when the provider that it is held for can serve, if that is known
 */
export function whyInWords(operation: Operation, now: number, until?: string | null): string {
  switch (operation.state) {
    case 'scheduled':
      return scheduledInWords(operation, now, until)
    case 'running':
      return operation.cancel_requested
        ? 'A cancel was requested; its runner is ending it.'
        : `Running for ${lengthInWords(now - Date.parse(operation.started_at ?? operation.updated_at))}.`
    case 'parked':
      return `${parkedInWords(operation.parked_for)} Then it ${operation.parked_for === 'label' ? 'runs again, waits or ends, as the label says' : 'continues automatically'}.`
    case 'succeeded':
      return `Succeeded after ${manyOf(operation.attempts, 'try', 'tries')}, ${lengthInWords(
        Date.parse(operation.ended_at ?? operation.updated_at) - Date.parse(operation.created_at),
      )} after it was submitted.`
    case 'dead':
      return `${stoppedInWords(operation.dead_as)}. It is not retried automatically.`
  }
}

function scheduledInWords(operation: Operation, now: number, until?: string | null): string {
  const { due_at, held_by: heldBy, attempts, remaining_retries: left } = operation
  const due = Date.parse(due_at ?? operation.updated_at)
  if (heldBy?.startsWith(ENGINE_PREFIX))
    return `${holdInWords(heldBy)}, and runs it again ${due <= now ? 'now' : `at ${clockInWords(due, now)}`}.`
  if (heldBy !== undefined)
    return `Held until ${heldBy} can serve${until ? `, at ${clockInWords(Date.parse(until), now)}` : ''}; then it continues automatically.`
  const retries = attempts > 0 ? ` ${manyOf(left, 'retry', 'retries')} left.` : ''
  if (due <= now) return `Due; waiting for a free runner.${retries}`
  const what = operation.mode === 'resume' ? 'Continues its session' : attempts > 0 ? 'Runs again' : 'Runs'
  return `${what} automatically at ${clockInWords(due, now)}, ${distanceInWords(due, now)}.${retries}`
}

function parkedInWords(parkedFor: string | undefined): string {
  const until = PARKED_UNTIL[parkedFor ?? '']
  return until === undefined ? 'Parked.' : `Parked until ${until}.`
}

/** The effect of a failed try. */
export const EFFECTS: Readonly<Record<string, string>> = {
  none: 'had no effect',
  maybe: 'may have taken effect',
  done: 'took effect',
}
