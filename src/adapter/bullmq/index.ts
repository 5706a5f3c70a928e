export { defineWorker } from '../job/worker.ts'
export type { BullmqQueue } from './desk.ts'
export { type BullmqJob, type BullmqOptions, type BullmqProcessor, bullmqProcessor } from './processor.ts'
