export { defineWorker } from '../job/worker.ts'
export {
  type RestateContext,
  type RestateErrors,
  type RestateOptions,
  restateHandler,
  toRestateError,
} from './handler.ts'
