import { EventReader } from '../ledger/event-reader.ts'
import type { Queue } from '../queue/queue.ts'
import type { RunView } from './view.ts'
import { Workflows } from './workflows.ts'

/** The run once it has ended. Rejects with the signal's reason on abort. */
export async function waitForEnd(queue: Queue, id: string, signal?: AbortSignal): Promise<RunView> {
  const workflows = new Workflows(queue)
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<RunView>()
  const look = async () => {
    const view = await workflows.show(id)
    if (view.run.state !== 'running') resolve(view)
  }
  // First the events, then the run: whenever it ends, one of them says so.
  const reader = new EventReader({
    ledger: queue.ledger,
    time: queue.time,
    types: ['workflow_ended'],
    onError: reject,
    handle: events => (events.some(({ data }) => data?.workflow_run === id) ? look() : undefined),
  })
  const onAbort = () => reject(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    await reader.start()
    await look()
    return await promise
  } finally {
    signal?.removeEventListener('abort', onAbort)
    await reader.stop()
  }
}
