export { defineWorker } from '../job/worker.ts'
export { type RestateContext, restateHandler, toRestateError } from './handler.ts'
