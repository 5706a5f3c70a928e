export { JobError } from '../job/durable-loop.ts'
export { defineWorker } from '../job/worker.ts'
export { type DbosClient, dbosWorkflow } from './workflow.ts'
