import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

const GIGABYTE = 2 ** 30
const DAY_MS = 86_400_000
const PREFIX = 'mulligan-tests-'

/**
 * A new folder for all files of one test run: in memory where there is room, because tests with databases waited for a disk
 * whose content nobody wants.
 */
export function makeTestFolder(): string {
  const place = hasRoom('/dev/shm') ? '/dev/shm' : tmpdir()
  removeForgotten(place)
  const folder = mkdtempSync(join(place, PREFIX))
  // As open as the usual one: database servers run as another user.
  chmodSync(folder, 0o1777)
  return folder
}

/** Removes what runs that were killed left behind: it would fill the memory. */
function removeForgotten(place: string): void {
  for (const name of readdirSync(place).filter(name => name.startsWith(PREFIX))) {
    const folder = join(place, name)
    const age = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Infinity)
    if (age > DAY_MS) removeTestFolder(folder)
  }
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > 4 * GIGABYTE && freemem() > 6 * GIGABYTE
  } catch {
    return false
  }
}

export function removeTestFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
