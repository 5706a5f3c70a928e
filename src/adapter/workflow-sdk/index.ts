export { defineWorker } from '../job/worker.ts'
export { runWorkflowStep, toWorkflowError } from './step.ts'
