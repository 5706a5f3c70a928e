import { needOf, nextStepFor } from '../../../src/provider/next-step.ts'
import { loginIsRefused } from '../../../src/provider/provider-name.ts'
import { workflowInWords } from '../../../src/workflow/group-name.ts'
import type { Overview } from '../api/answers.ts'
import { type Query, queryOf } from '../query/parse.ts'
import { manyOf, seenInWords } from './number.ts'
import { providerInWords } from './surface.ts'

/** Something that waits for a person. */
export interface Need {
  /** Identifies the need across updates. */
  key: string
  tone: 'permanent' | 'throttle' | 'unknown'
  title: string
  /** What it blocks, or why it matters. */
  detail: string
  /** Text from outside that belongs to it. */
  message?: string
  /** The filter of dead operations that can be retried together, if that helps. */
  retry?: Query['filter']
  /** Whether that may help as things are: nothing refused them, and no limit stopped them. */
  isRetryLikely?: boolean
  /** A notice of this cause; all of them can be marked as read. */
  notice?: string
  /** Where to act on it, and the name of that action. */
  href: string
  action: string
}

/** Most needs of one kind that are listed; the rest are counted. */
const MOST_OF_A_KIND = 3

/** Everything that waits for a person; what blocks most comes first. */
export function needsOf({
  status,
  agenda,
  unknowns,
  questions,
  notices: { causes, more_causes: moreCauses, failed_runs: failed },
}: Overview): Need[] {
  const parked = status.parked.for
  const needs: Need[] = []
  const queued = status.retry_queue.queued + status.running
  if (status.runners.length === 0 && queued > 0)
    needs.push({
      key: 'no_runner',
      tone: 'permanent',
      title: 'No runner is running',
      detail: `${manyOf(queued, 'operation')} cannot run. Start one: mulligan serve`,
      href: '/operations?q=state:scheduled',
      action: 'See them',
    })
  if (status.paused.queue)
    needs.push({
      key: 'paused',
      tone: 'throttle',
      title: 'The queue is paused',
      detail: 'Nothing new starts until you resume it.',
      href: '/operations?q=state:scheduled',
      action: 'See what waits',
    })
  /** What waits for a provider's login or payment: parked and held; parked ones count only if no other provider needs the same. */
  const waitingFor = (need: 'login' | 'payment', { id }: { id: string }) => {
    const alike = status.providers.filter(
      ({ login_refused: loginRefused, blocks }) => needOf({ loginRefused, blocks }) === need,
    )
    return (alike.length === 1 ? (parked[need] ?? 0) : 0) + (agenda.held[id] ?? 0)
  }
  for (const provider of status.providers) {
    const { id, login_refused: loginRefused, blocks } = provider
    const need = needOf({ loginRefused, blocks })
    if (need === 'login')
      needs.push({
        key: `login:${id}`,
        tone: 'permanent',
        title: loginIsRefused(id),
        detail: `${waitFor(waitingFor('login', provider))} ${nextStepFor('login', id)}`.trim(),
        href: `/providers/${encodeURIComponent(id)}`,
        action: 'Open the provider',
      })
    else if (need === 'payment')
      needs.push({
        key: `payment:${id}`,
        tone: 'permanent',
        title: `${providerInWords(id)} needs payment`,
        detail: `${waitFor(waitingFor('payment', provider))} ${nextStepFor('payment', id)}`.trim(),
        href: `/providers/${encodeURIComponent(id)}`,
        action: 'Open the provider',
      })
  }
  for (const { fingerprint, provider, count, parked: waiting, message } of unknowns.slice(0, MOST_OF_A_KIND))
    needs.push({
      key: `unknown:${fingerprint}:${provider ?? ''}`,
      tone: 'unknown',
      title: `Unknown failure${provider ? ` of ${providerInWords(provider)}` : ''}`,
      detail: `${seenInWords(count)}. ${
        waiting > 0
          ? `${manyOf(waiting, 'operation')} ${waiting === 1 ? 'waits' : 'wait'} for your label.`
          : 'Nothing waits for a label.'
      }`,
      message,
      href: `/unknowns/${encodeURIComponent(fingerprint)}`,
      action: 'Label it',
    })
  if (unknowns.length > MOST_OF_A_KIND)
    needs.push({
      key: 'unknowns',
      tone: 'unknown',
      title: `${manyOf(unknowns.length - MOST_OF_A_KIND, 'more unknown failure')}`,
      detail: 'One label decides for every operation that failed like this.',
      href: '/unknowns',
      action: 'See them',
    })
  for (const { run, workflow, step, question } of questions.slice(0, MOST_OF_A_KIND))
    needs.push({
      key: `question:${run}:${step}`,
      tone: 'throttle',
      title: `${capitalised(workflowInWords(workflow))} asks`,
      detail: `The run ${run} waits for your answer.`,
      message: question,
      href: `/workflows/${run}`,
      action: 'Answer it',
    })
  if (questions.length > MOST_OF_A_KIND)
    needs.push({
      key: 'questions',
      tone: 'throttle',
      title: `${manyOf(questions.length - MOST_OF_A_KIND, 'more question')} of workflows`,
      detail: 'Their runs wait for your answers.',
      href: '/workflows',
      action: 'See them',
    })
  for (const [reason, words] of Object.entries(PARKED))
    if ((parked[reason] ?? 0) > 0)
      needs.push({
        key: `parked:${reason}`,
        tone: 'throttle',
        title: `${manyOf(parked[reason] ?? 0, 'operation')} ${(parked[reason] ?? 0) === 1 ? 'waits' : 'wait'} for ${words.what}`,
        detail: words.remedy,
        href: `/operations?q=${encodeURIComponent(`parked-for:${reason}`)}`,
        action: parked[reason] === 1 ? 'See it' : 'See them',
      })
  for (const { run, workflow, reason } of failed.slice(0, MOST_OF_A_KIND))
    needs.push({
      key: `failed:${run}`,
      tone: 'permanent',
      title: `${capitalised(workflowInWords(workflow))} failed`,
      detail: `The run ${run} is not retried automatically. Retry it, or mark its notice as read.`,
      ...(reason === undefined ? {} : { message: reason }),
      href: `/workflows/${run}`,
      action: 'Look at it',
    })
  if (failed.length > MOST_OF_A_KIND)
    needs.push({
      key: 'failed',
      tone: 'permanent',
      title: `${manyOf(failed.length - MOST_OF_A_KIND, 'more workflow run')} failed`,
      detail: 'They are not retried automatically.',
      href: '/workflows',
      action: 'See them',
    })
  needs.push(...causes.map(needOfCause))
  if (moreCauses > 0)
    needs.push({
      key: 'causes',
      tone: 'permanent',
      title: `${manyOf(moreCauses, 'more cause')} of notices`,
      detail: 'The notices say what happened and what helps.',
      href: '/notices',
      action: 'See them',
    })
  return needs
}

/** How many things wait for a person, including those not listed. */
export function countOfNeeds(overview: Overview): number {
  const beyond = [overview.unknowns, overview.questions, overview.notices.failed_runs].map(({ length }) =>
    Math.max(0, length - MOST_OF_A_KIND - 1),
  )
  return beyond.reduce((sum, count) => sum + count, needsOf(overview).length)
}

type Cause = Overview['notices']['causes'][number]

/** Operations that died of the same, or another notice that needs action. */
function needOfCause({
  notice,
  event,
  title,
  count,
  operation,
  dead_as: deadAs,
  message,
  filter,
}: Cause): Need {
  const isOne = count === 1 && operation !== undefined
  const list = filter && `/operations?q=${encodeURIComponent(queryOf(filter))}`
  const of = filter?.provider
  const many = of === undefined ? title : `${of} failed them`
  return {
    key: `cause:${notice}`,
    tone: 'permanent',
    title: event !== 'dead' || isOne ? title : `${manyOf(count, 'operation')} died: ${many}`,
    ...(message === undefined ? {} : { message }),
    detail: event === 'dead' ? afterDeath(deadAs, count) : 'Its notice says what happened and what helps.',
    // What may have taken effect is looked at one by one.
    ...(filter === undefined || deadAs === 'unverifiable'
      ? {}
      : { retry: filter, isRetryLikely: deadAs !== 'refused' && deadAs !== 'stopped' }),
    notice,
    href: event !== 'dead' ? '/notices' : isOne ? `/operations/${operation}` : (list ?? '/notices'),
    action: event === 'dead' ? (isOne ? 'Look at it' : 'Look at them') : 'Read it',
  }
}

function afterDeath(as: Cause['dead_as'], count: number): string {
  if (as === 'unverifiable') return 'Check whether it happened, then mark it as done or run it again.'
  const [They, them] = count === 1 ? ['It', 'it'] : ['They', 'them']
  if (as === 'refused') return `${They} would be refused again: fix the cause, then retry ${them}.`
  if (as === 'stopped') return `A limit that you set stopped ${them}: raise the limit, then retry ${them}.`
  return `${They} ${count === 1 ? 'is' : 'are'} not retried automatically.`
}

function capitalised(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

const PARKED: Readonly<Record<string, { what: string; remedy: string }>> = {
  parameters: { what: 'valid parameters', remedy: 'Edit them; then the work continues.' },
  secret: { what: 'a key or variable', remedy: 'Set it where the daemon runs; then the work continues.' },
  runner: { what: 'a runner that has their capability', remedy: 'Start one; then the work continues.' },
}

function waitFor(count: number | undefined): string {
  return count ? `${manyOf(count, 'operation')} ${count === 1 ? 'waits' : 'wait'} for it.` : ''
}
