export { defineWorker } from '../job/worker.ts'
export type { PgBossClient } from './desk.ts'
export { type PgBossHandler, type PgBossJob, type PgBossOptions, pgBossHandler } from './handler.ts'
