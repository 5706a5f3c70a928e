export { JobError } from '../job/durable-loop.ts'
export { defineWorker } from '../job/worker.ts'
export { dbosWorkflow } from './workflow.ts'
