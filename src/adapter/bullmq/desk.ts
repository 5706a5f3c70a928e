import { present } from '../../failure/present.ts'
import type { EngineDesk, HandedBack, StateInEngine } from '../citizen/desk.ts'
import { asObject, startNumber } from '../job/record.ts'

/** The part of a stored BullMQ job that the adapter uses. */
export interface BullmqStored {
  readonly data: unknown
  readonly attemptsStarted: number
  readonly returnvalue?: unknown
  readonly failedReason?: string
  getState(): Promise<string>
  promote(): Promise<unknown>
  retry(): Promise<unknown>
  updateData(data: never): Promise<unknown>
}

/** Gives jobs back to a BullMQ queue. */
export function bullmqDesk(queue: BullmqQueue): EngineDesk {
  const find = async (id: string) => (await queue.getJob(id)) ?? (await queue.getJob(idAgain(id)))
  return {
    engine: 'bullmq',
    queue: queue.name,
    async resume(given) {
      const job = await find(given.jobId)
      if (!job) return addAgain(queue, given)
      if (given.isEdited) await job.updateData(given.data(job.data) as never)
      return makeDue(job, given, MOVES)
    },
    // A worker starts it, finds it cancelled in the ledger, and ends it with the reason.
    async cancel(given) {
      const job = await find(given.jobId)
      return job ? makeDue(job, given, { delayed: MOVES.delayed }) : true
    },
    async state(jobId): Promise<StateInEngine> {
      const job = await find(jobId)
      if (!job) return { state: 'gone' }
      const state = await job.getState()
      if (state === 'completed') return { state: 'done', value: job.returnvalue }
      return state === 'failed' ? { state, reason: job.failedReason ?? '' } : { state: 'waiting' }
    },
  }
}

type Move = (job: BullmqStored) => Promise<unknown>

const MOVES = {
  delayed: (job: BullmqStored) => job.promote(),
  failed: (job: BullmqStored) => job.retry(),
} satisfies Record<string, Move>

/** Another worker may have moved it meanwhile: then it is in another state, and the error says nothing. */
async function makeDue(
  job: BullmqStored,
  { start }: HandedBack,
  moves: Readonly<Record<string, Move | undefined>>,
): Promise<boolean> {
  const state = await job.getState()
  if (state === 'active') return startNumber(job.data, job.attemptsStarted) > start
  try {
    await moves[state]?.(job)
  } catch (error) {
    if ((await job.getState()) === state) throw error
  }
  return true
}

/** BullMQ takes no number that it has not given itself. */
function idAgain(id: string): string {
  return /^\d+$/.test(id) ? `mulligan-${id}` : id
}

/** The id makes BullMQ add it once. */
async function addAgain(queue: BullmqQueue, { jobId, data, again }: HandedBack): Promise<boolean> {
  const { name = 'job', attempts } = (asObject(again) ?? {}) as { name?: string; attempts?: number }
  await queue.add(name as never, data() as never, { jobId: idAgain(jobId), ...present({ attempts }) })
  return true
}

/** The part of a BullMQ queue that the adapter uses to pause it, and to give jobs back to it. */
export interface BullmqQueue {
  readonly name: string
  rateLimit(expireTimeMs: number): Promise<unknown>
  getJob(id: string): Promise<BullmqStored | undefined>
  add(name: never, data: never, options?: object): Promise<unknown>
}
