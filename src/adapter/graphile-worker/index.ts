export { defineWorker } from '../job/worker.ts'
export { type GraphileTask, graphileTask, pausedFlags } from './task.ts'
