import { hostname } from 'node:os'
import { join } from 'node:path'
import { readAddress } from '../../gateway/http/address-file.ts'
import { LEDGER_NAME } from '../../ledger/location.ts'
import { isRunning } from '../../process/is-running.ts'
import type { Holder, SeenLock } from '../lock.ts'
import { momentInWords } from '../words/failure-words.ts'
import { type DaemonFinding, trouble, well } from './finding.ts'

const START = 'start it: mulligan serve, or: mulligan service install'

/** Whether a daemon has the data folder, and whether the lock says the truth about it. */
export function checkLock(folder: string, lock: SeenLock, now: number): DaemonFinding[] {
  const listens = readAddress(folder)
  const file = join(folder, 'daemon.lock')
  if (lock.state === 'held') {
    const { by } = lock
    if (by === undefined) return [well('lock', `a daemon has ${folder}`)]
    if (by.host !== hostname() || isRunning(by.pid))
      return [well('lock', `${nameOf(by)} has had it since ${momentInWords(by.since, now)}`)]
    return [
      trouble(
        'lock',
        `${file} is held, but ${nameOf(by)} is gone: another process has the file open`,
        `find that process ("fuser ${file}") and end it; do not delete the file`,
      ),
    ]
  }
  const { left } = lock.state === 'free' ? lock : {}
  const isElsewhere = left !== undefined && left.host !== hostname()
  return [
    left === undefined
      ? well('lock', 'free')
      : !isElsewhere && isRunning(left.pid)
        ? trouble(
            'lock',
            `${nameOf(left)} runs but no longer has ${file}: the file was replaced, so a second daemon could start`,
            'restart that process, unless it is another program by now',
          )
        : trouble(
            'lock',
            `stale: ${nameOf(left)}, which had held ${folder} since ${momentInWords(left.since, now)}, was killed or lost power`,
            'start the daemon again; it takes the lock over, and nothing needs to be deleted',
          ),
    ...(listens !== undefined && !isElsewhere && !isRunning(listens.pid)
      ? [
          trouble(
            'lock',
            `stale: ${join(folder, 'http.json')} has the address of process ${listens.pid}, which is gone`,
            'start the daemon again; it writes its own',
          ),
        ]
      : []),
    trouble('daemon', `no daemon runs on ${folder}`, START),
  ]
}

/** What keeps others from writing to a ledger in a file. */
export function checkLedgerLock(folder: string, holders: readonly number[] | 'free'): DaemonFinding {
  const file = join(folder, LEDGER_NAME)
  if (holders === 'free') return well('ledger', `${file} can be written`)
  const whose = holders.length > 0 ? `process ${holders.join(' and ')}` : 'another process'
  return trouble(
    'ledger',
    `${whose} has kept ${file} locked for over ${LEDGER_BUSY_MS / 1_000} s`,
    'let it finish, or end it if it hangs; the ledger stays consistent',
  )
}

/** How long the lock of a ledger is waited for before it counts as stuck, in milliseconds. */
export const LEDGER_BUSY_MS = 5_000

function nameOf({ pid, host }: Holder): string {
  return `process ${pid}${host === hostname() ? '' : ` on ${host}`}`
}
