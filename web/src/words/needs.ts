import type { Overview } from '../api/answers.ts'
import { manyOf } from './number.ts'

/** Something that waits for a person. */
export interface Need {
  /** Stays the same while it is the same need. */
  key: string
  tone: 'permanent' | 'throttle' | 'unknown'
  title: string
  /** What it holds up, or why it matters. */
  detail: string
  /** Text of others that belongs to it. */
  message?: string
  /** Where to do something about it, and what. */
  href: string
  action: string
}

/** Everything that waits for a person, what holds up most first. */
export function needsOf({ status, unknowns, questions }: Overview): Need[] {
  const parked = status.parked.for
  const needs: Need[] = []
  const queued = status.retry_queue.queued + status.running
  if (status.runners.length === 0 && queued > 0)
    needs.push({
      key: 'no_runner',
      tone: 'permanent',
      title: 'No runner is alive',
      detail: `${manyOf(queued, 'operation')} cannot run. Start one: mulligan serve`,
      href: '/operations?q=state:scheduled',
      action: 'See them',
    })
  if (status.paused.queue)
    needs.push({
      key: 'paused',
      tone: 'throttle',
      title: 'The queue is paused',
      detail: 'Nothing new starts until somebody resumes it.',
      href: '/operations?q=state:scheduled',
      action: 'See what waits',
    })
  for (const provider of status.providers) {
    const { id, login_refused: isLogin, blocks } = provider
    const isBilling = blocks.some(({ failure }) => failure.kind === 'billing')
    if (isLogin)
      needs.push({
        key: `login:${id}`,
        tone: 'permanent',
        title: `${id} refuses its login`,
        detail: `${waitFor(parked.login)} Log in again, then reset it.`,
        href: `/providers/${encodeURIComponent(id)}`,
        action: 'Open the provider',
      })
    else if (isBilling)
      needs.push({
        key: `payment:${id}`,
        tone: 'permanent',
        title: `${id} wants to be paid`,
        detail: `${waitFor(parked.payment)} Pay, then reset it.`,
        href: `/providers/${encodeURIComponent(id)}`,
        action: 'Open the provider',
      })
  }
  for (const { fingerprint, provider, count, outcomes, message } of unknowns.slice(0, 5))
    needs.push({
      key: `unknown:${fingerprint}:${provider ?? ''}`,
      tone: 'unknown',
      title: `A failure nobody knows${provider ? ` of ${provider}` : ''}`,
      detail: `seen ${manyOf(count, 'time')}; ${manyOf(outcomes.parked ?? 0, 'operation')} parked for it`,
      message,
      href: `/unknowns/${encodeURIComponent(fingerprint)}`,
      action: 'Label it',
    })
  for (const { run, workflow, step, question } of questions.slice(0, 5))
    needs.push({
      key: `question:${run}:${step}`,
      tone: 'throttle',
      title: `${workflow} asks`,
      detail: `the run ${run} waits for the answer`,
      message: question,
      href: `/workflows/${run}`,
      action: 'Answer it',
    })
  for (const [reason, words] of Object.entries(PARKED))
    if ((parked[reason] ?? 0) > 0)
      needs.push({
        key: `parked:${reason}`,
        tone: 'throttle',
        title: `${manyOf(parked[reason] ?? 0, 'operation')} ${(parked[reason] ?? 0) === 1 ? 'waits' : 'wait'} for ${words.what}`,
        detail: words.remedy,
        href: `/operations?q=${encodeURIComponent(`parked-for:${reason}`)}`,
        action: 'See them',
      })
  return needs
}

const PARKED: Readonly<Record<string, { what: string; remedy: string }>> = {
  parameters: { what: 'parameters that fit', remedy: 'Edit them, and they go on.' },
  secret: { what: 'a key or variable', remedy: 'Set it where the daemon runs, and they go on.' },
  runner: { what: 'a runner that has their capability', remedy: 'Start one, and they go on.' },
}

function waitFor(count: number | undefined): string {
  return count ? `${manyOf(count, 'operation')} ${count === 1 ? 'waits' : 'wait'} for it.` : ''
}
