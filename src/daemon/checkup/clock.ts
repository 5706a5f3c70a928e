import { durationInWords } from '../../verdict/duration-words.ts'
import { CLOCK_JUMP_MS, type ClockRecord } from '../clock-watch.ts'
import { momentInWords } from '../words/failure-words.ts'
import { type DaemonFinding, notChecked, trouble, well } from './finding.ts'

/** Jumps longer ago than this are history, in milliseconds: 1 day. */
const RECENT_MS = 86_400_000
/** How far the clocks of this machine and of the database may differ, in milliseconds. */
const APART_MS = 30_000

const SYNCHRONISE =
  'synchronise the clock ("timedatectl status" says whether it is); times of schedules, waits and limits follow it'

/** Whether the clock jumped, from what the last daemon saw. */
export function checkClock(record: ClockRecord | undefined, now: number): DaemonFinding {
  if (record === undefined) return notChecked('clock', 'no daemon has recorded the clock here yet')
  const aheadMs = record.at - now
  if (aheadMs > CLOCK_JUMP_MS)
    return trouble('clock', `the clock went back by at least ${durationInWords(aheadMs)}`, SYNCHRONISE)
  const recent = record.jumps.filter(({ at }) => now - at < RECENT_MS)
  const last = recent.at(-1)
  if (!last) return well('clock', 'no jump in the last 24 h')
  const way = last.byMs > 0 ? 'forward' : 'back'
  const times = recent.length > 1 ? `${recent.length} times in 24 h, last ` : ''
  const message = `the clock jumped ${times}${way} by ${durationInWords(Math.abs(last.byMs))}, noticed ${momentInWords(last.at, now)}`
  return trouble('clock', message, SYNCHRONISE)
}

/** Whether this machine and the database agree on the time. */
export function compareClocks(now: number, ofDatabase: number): DaemonFinding {
  const aheadMs = now - ofDatabase
  if (Math.abs(aheadMs) <= APART_MS) return well('clock', 'this machine and the database agree on the time')
  const way = aheadMs > 0 ? 'ahead of' : 'behind'
  const message = `this machine's clock is ${durationInWords(Math.abs(aheadMs))} ${way} the database's`
  return trouble('clock', message, 'synchronise both; operations follow the database, logs this machine')
}
