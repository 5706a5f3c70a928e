export { defineWorker } from '../job/worker.ts'
export { type PgBossHandler, pgBossHandler } from './handler.ts'
