export { defineWorker } from '../job/worker.ts'
export type { BullmqStored } from './desk.ts'
export {
  type BullmqJob,
  type BullmqOptions,
  type BullmqProcessor,
  type BullmqQueue,
  bullmqProcessor,
} from './processor.ts'
