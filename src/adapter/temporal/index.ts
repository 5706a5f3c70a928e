export { defineWorker } from '../job/worker.ts'
export {
  outcomeOfActivity,
  type TemporalActivity,
  type TemporalClient,
  type TemporalErrors,
  type TemporalOptions,
  temporalActivity,
  toApplicationFailure,
} from './activity.ts'
