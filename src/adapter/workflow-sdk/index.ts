export { defineWorker } from '../job/worker.ts'
export { runWorkflowStep, toWorkflowError, type WorkflowSdkErrors, type WorkflowSdkStep } from './step.ts'
