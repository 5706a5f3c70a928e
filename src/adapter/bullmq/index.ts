export { defineWorker } from '../job/worker.ts'
export { type BullmqProcessor, bullmqProcessor } from './processor.ts'
