import { quietly } from '../../time/clean-up.ts'
import type { EngineDesk, HandedBack, StateInEngine } from '../citizen/desk.ts'

/** How a desk reaches the workflows of an engine. */
export interface DurableDeskOptions {
  /** Wakes the workflow that waits after this start. Default: it finds out by itself. */
  wake?(jobId: string, start: number): Promise<unknown>
  /** How a workflow stands. Default: it is taken as waiting. */
  state?(jobId: string): Promise<StateInEngine>
}

/** A desk for jobs that wait inside a workflow. They ask the ledger themselves, so a lost word only makes them later. */
export function durableDesk(
  engine: string,
  queue: string,
  { wake, state }: DurableDeskOptions = {},
): EngineDesk {
  const tell = async ({ jobId, start }: HandedBack) => {
    if (wake) await quietly(() => wake(jobId, start))
    return true
  }
  return {
    engine,
    queue,
    resume: tell,
    // The workflow finds it cancelled in the ledger, and ends.
    cancel: tell,
    state: state ?? (async () => ({ state: 'waiting' })),
  }
}

/** What a workflow waits for, after its start of this number. */
export function wakeTopic(start: number): string {
  return `mulligan ${start}`
}
