export { defineWorker } from '../job/worker.ts'
export type { GraphileClient } from './desk.ts'
export {
  type GraphileHelpers,
  type GraphileJob,
  type GraphileOptions,
  type GraphileTask,
  graphileTask,
  pausedFlags,
} from './task.ts'
