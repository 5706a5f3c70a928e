import type { Overview } from '../api/answers.ts'
import { listInWords } from './list.ts'
import { needsOf } from './needs.ts'
import { manyOf } from './number.ts'
import { clockInWords } from './time.ts'

/** The state of everything in one sentence. */
export function stateSentence(overview: Overview, now: number): string {
  const { status, agenda } = overview
  const { providers } = status
  const parts: string[] = []
  const refusing = providers.filter(({ admits }) => !admits)
  if (providers.length > 0)
    parts.push(
      refusing.length === 0
        ? providers.length === 1
          ? `${providers[0]?.id} can serve`
          : `all ${providers.length} providers can serve`
        : `${providers.length - refusing.length} of ${providers.length} providers can serve`,
    )
  for (const { id, until, paused } of refusing) {
    const count = (agenda.held[id] ?? 0) + (agenda.waiting[id] ?? 0)
    const how = paused
      ? 'is paused'
      : until
        ? `waits until ${clockInWords(Date.parse(until), now)}`
        : 'waits for a person'
    parts.push(
      count === 0
        ? `${id} ${how}`
        : `${id} ${how}, and ${manyOf(count, 'operation')} ${count === 1 ? 'waits' : 'wait'} for it`,
    )
  }
  const going = [
    ...(status.running > 0 ? [`${status.running} running`] : []),
    ...(status.due > 0 ? [`${status.due} due`] : []),
  ]
  if (going.length > 0) parts.push(listInWords(going))
  else if (status.retry_queue.queued === 0) parts.push('nothing waits')
  if (status.paused.queue) parts.push('the queue is paused')
  const needs = needsOf(overview).length
  parts.push(
    needs === 0 ? 'nothing needs you' : needs === 1 ? '1 thing needs you' : `${needs} things need you`,
  )
  const sentence = parts.join('; ')
  // A name stays as it is written.
  const [first = ''] = sentence
  return `${providers.length === 1 ? first : first.toUpperCase()}${sentence.slice(1)}.`
}
