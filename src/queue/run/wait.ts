import { sleep } from '../../time/time.ts'
import type { RunState } from './run-state.ts'

/** Waits in this process, before another try of the same run. An abort ends it; the loop sees that at its top. */
export async function wait(run: RunState, ms: number, reason: string): Promise<void> {
  run.events?.waiting(ms, reason)
  await sleep(run.deps.time, ms, run.signal).catch(() => {})
}
