import { scheduleStatuses } from '../../queue/cron-status.ts'
import { scheduleToJson, statusToJson } from '../../queue/status-json.ts'
import { proxyStatusToJson } from '../proxy/proxy-status.ts'
import { type Facilities, inForce } from './facilities.ts'

/** The state of everything that a daemon runs, and its JSON. */
export async function daemonStatusOf(facilities: Facilities) {
  const { queue, loaded } = inForce(facilities)
  const { ledger, time, folder } = facilities
  const now = time.now()
  const [status, schedules, proxy] = await Promise.all([
    queue.status(),
    scheduleStatuses(ledger, loaded.config.schedules, now),
    proxyStatusToJson({ ledger, folder }, now),
  ])
  const json = {
    ...statusToJson(status),
    schedules: schedules.map(scheduleToJson),
    ...proxy,
    data: folder,
  }
  return { status, json }
}
