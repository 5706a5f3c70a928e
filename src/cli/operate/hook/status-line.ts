import { momentInWords } from '../../../daemon/words/failure-words.ts'
import type { ProviderStatus } from '../../../provider/provider-status.ts'
import type { QueueStatus } from '../../../queue/status.ts'
import { withQueue } from '../../runtime/queue-runtime.ts'
import type { Hook } from './hook.ts'

/** One line for the foot of a session. */
export const statusLine: Hook = async (_input, flags, terminal) => {
  const print = async ({
    queue,
    isBegun,
  }: {
    queue: { status(): Promise<QueueStatus> }
    isBegun: boolean
  }) => {
    terminal.stdout(`${isBegun ? lineOf(await queue.status(), terminal.now()) : 'mulligan'}\n`)
    return 0
  }
  await withQueue(flags, terminal, print, { absent: 'look', shows: true })
}

/** What is blocked, what waits, and what needs a person; nothing of what is well. */
export function lineOf(
  {
    retryQueue,
    held,
    running,
    parked,
    providers,
  }: Pick<QueueStatus, 'retryQueue' | 'held' | 'running' | 'parked' | 'providers'>,
  now: number,
): string {
  const parts = [
    ...providers.filter(({ admits }) => !admits).map(status => blockInWords(status, now)),
    ...(held > 0 ? [`${held} held`] : []),
    ...(retryQueue.queued - held > 0 ? [`${retryQueue.queued - held} waiting`] : []),
    ...(running > 0 ? [`${running} running`] : []),
    ...(parked.total > 0 ? [`${parked.total} for you`] : []),
  ]
  return ['mulligan', ...parts].join(' · ')
}

function blockInWords({ id, until }: ProviderStatus, now: number): string {
  return until === undefined ? `${id} blocked` : `${id} until ${momentInWords(until, now)}`
}
