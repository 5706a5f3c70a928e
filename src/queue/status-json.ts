import { jsonWriter } from '../shape/json-writer.ts'
import type { QueueStatus } from './status.ts'
import { queueStatus, schedule } from './status-shape.ts'

const write = jsonWriter(queueStatus)

/** The state of the queue in JSON. */
export function statusToJson(status: QueueStatus) {
  return write({ ...status, paused: status.pauses })
}

/** A schedule in JSON. */
export const scheduleToJson = jsonWriter(schedule)
