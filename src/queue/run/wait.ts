import { sleep } from '../../time/time.ts'
import type { Run } from './run.ts'

/** Waits in this process before another try of the same run. An abort ends the wait; the loop checks for it at its top. */
export async function wait(
  { deps, events, signal }: Pick<Run, 'deps' | 'events' | 'signal'>,
  ms: number,
  reason: string,
): Promise<void> {
  events?.waiting(ms, reason)
  await sleep(deps.time, ms, signal).catch(() => {})
}
