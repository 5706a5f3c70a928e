export { defineWorker } from '../job/worker.ts'
export type { GraphileUtils } from './desk.ts'
export {
  type GraphileClient,
  type GraphileHelpers,
  type GraphileJob,
  type GraphileOptions,
  type GraphileTask,
  graphileTask,
  pausedFlags,
} from './task.ts'
