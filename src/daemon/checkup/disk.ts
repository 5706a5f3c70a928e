import { accessSync, constants, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { isThere } from '../../config/private-folder.ts'
import { sizeInWords } from '../words/size-words.ts'
import { type DaemonFinding, trouble, well } from './finding.ts'

/** Free space below which a disk counts as full, in bytes: 256 MB. */
export const LEAST_FREE_BYTES = 256_000_000
/** Files that must still fit. */
const LEAST_FREE_FILES = 1_000

/** What a file system says about itself. */
export interface DiskSpace {
  freeBytes: number
  /** Files that can still be created; undefined if the file system has no such limit. */
  freeFiles: number | undefined
}

/** Whether the disk of a data folder has room, and takes writes. */
export function checkDisk(
  folder: string,
  spaceOf: (folder: string) => DiskSpace = diskSpaceOf,
): DaemonFinding {
  const place = nearestFolder(folder)
  try {
    accessSync(place, constants.W_OK)
  } catch (error) {
    const fix = 'mount its disk for writing, or give this user the permission to write'
    return trouble('disk', `${place} cannot be written: ${(error as Error).message}`, fix)
  }
  const { freeBytes, freeFiles } = spaceOf(place)
  const free = `${sizeInWords(freeBytes)} free at ${place}`
  const fix =
    'make room on that disk; "mulligan ledger prune" deletes old operations, "mulligan ledger compact" returns their space'
  if (freeBytes < LEAST_FREE_BYTES)
    return trouble('disk', `only ${free}; at least ${sizeInWords(LEAST_FREE_BYTES)} should be`, fix)
  if (freeFiles !== undefined && freeFiles < LEAST_FREE_FILES)
    return trouble('disk', `only ${freeFiles} more files fit on the disk of ${place}`, fix)
  return well('disk', free)
}

/** The space that this user can still write. */
export function diskSpaceOf(folder: string): DiskSpace {
  const { bavail, bsize, files, ffree } = statfsSync(folder)
  return { freeBytes: bavail * bsize, freeFiles: files > 0 ? ffree : undefined }
}

/** The folder, or the first one above it that exists. */
function nearestFolder(folder: string): string {
  const above = dirname(folder)
  return isThere(folder) || above === folder ? folder : nearestFolder(above)
}
