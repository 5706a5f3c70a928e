import { listInWords } from '../../../src/ledger/list-words.ts'
import { needOf } from '../../../src/provider/next-step.ts'
import { loginIsRefused } from '../../../src/provider/provider-name.ts'
import type { Overview } from '../api/answers.ts'
import { countOfNeeds } from './needs.ts'
import { manyOf } from './number.ts'
import { canServe, isSurface, providerInWords } from './surface.ts'
import { clockInWords } from './time.ts'

/** Most providers that the sentence names, because it is read at a glance. */
const MOST_NAMED = 3

/** The state of everything in one sentence. */
export function stateSentence(overview: Overview, now: number): string {
  const { status, agenda } = overview
  const providers = status.providers.filter(provider => !isSurface(provider))
  const parts: string[] = []
  const refusing = providers.filter(provider => !canServe(provider))
  if (providers.length > 0)
    parts.push(
      refusing.length === 0
        ? providers.length === 1
          ? `${providerInWords(providers[0]?.id ?? '')} can serve`
          : `${providers.length === 2 ? 'both' : `all ${providers.length}`} providers can serve`
        : `${providers.length - refusing.length || 'none'} of ${providers.length} providers can serve`,
    )
  const named = refusing.slice(0, MOST_NAMED)
  const back = named.filter(hasTime)
  if (back.length > 0)
    parts.push(
      back
        .map(
          ({ id, until }, index) =>
            `${providerInWords(id)}${index === 0 ? ' cannot serve' : ''}${untilThen(until, now)}`,
        )
        .join(', '),
    )
  parts.push(...named.filter(provider => !hasTime(provider)).map(provider => refusalInWords(provider, now)))
  const parked = (need: 'login' | 'payment') => {
    const isNeeded = named.some(
      ({ login_refused: loginRefused, blocks }) => needOf({ loginRefused, blocks }) === need,
    )
    return isNeeded ? (status.parked.for[need] ?? 0) : 0
  }
  const count = named.reduce(
    (sum, { id }) => sum + (agenda.held[id] ?? 0) + (agenda.waiting[id] ?? 0),
    parked('login') + parked('payment'),
  )
  if (count > 0)
    parts.push(
      `${manyOf(count, 'operation')} ${count === 1 ? 'waits' : 'wait'} for ${named.length === 1 ? 'it' : 'them'}`,
    )
  const others = refusing.length - MOST_NAMED
  if (others > 0) parts.push(`${others} more cannot serve`)
  const holds = status.proxy?.holds ?? 0
  if (holds > 0) parts.push(`${manyOf(holds, 'question')} ${holds === 1 ? 'waits' : 'wait'} in the proxy`)
  const going = [
    ...(status.running > 0 ? [`${status.running} running`] : []),
    ...(status.due > 0 ? [`${status.due} due`] : []),
  ]
  if (going.length > 0) parts.push(listInWords(going))
  else if (status.retry_queue.queued + holds === 0) parts.push('nothing waits')
  if (status.paused.queue) parts.push('the queue is paused')
  const needs = countOfNeeds(overview)
  parts.push(
    needs === 0 ? 'nothing needs you' : needs === 1 ? '1 thing needs you' : `${needs} things need you`,
  )
  const sentence = parts.join('; ')
  // Do not capitalise a provider's name.
  const [first = ''] = sentence
  return `${providers.length === 1 ? first : first.toUpperCase()}${sentence.slice(1)}.`
}

type Provider = Overview['status']['providers'][number]

/** Whether a provider serves again by itself, at a known time. */
function hasTime(provider: Provider): provider is Provider & { until: string } {
  const { until, paused, login_refused: isLogin } = provider
  return until !== undefined && paused === undefined && !isLogin
}

function untilThen(at: string, now: number): string {
  return ` until ${clockInWords(Date.parse(at), now)}`
}

/** Why a provider cannot serve until a person acts, or a pause ends. */
function refusalInWords({ id, paused, login_refused: isLogin, blocks }: Provider, now: number): string {
  const name = providerInWords(id)
  if (paused) return `${name} is paused${paused.until ? untilThen(paused.until, now) : ''}`
  if (isLogin) return loginIsRefused(id)
  return blocks.some(({ failure }) => failure.kind === 'billing')
    ? `${name} needs payment`
    : `${name} needs a person`
}
