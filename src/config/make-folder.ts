import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { FailureKind } from '../failure/failure.ts'
import { MEANING, type MeaningfulError, type OwnMeaning } from '../failure/own-error.ts'

const KINDS_BY_CODE: Readonly<Record<string, FailureKind>> = {
  EACCES: 'permission',
  EPERM: 'permission',
  EROFS: 'permission',
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
}

/** A folder that cannot be made or used; the message names it and the cause, `code` is that of the system. */
export class FolderError extends Error implements MeaningfulError {
  override name = 'FolderError'
  /** As Node names it: `EACCES`, `ENOTDIR` … */
  readonly code: string

  constructor(
    folder: string,
    code: string,
    reason: string,
    options?: ErrorOptions,
    doing: 'make' | 'use' = 'make',
  ) {
    super(`cannot ${doing} the folder ${folder}: ${reason}`, options)
    this.code = code
  }

  get [MEANING](): OwnMeaning {
    return { kind: KINDS_BY_CODE[this.code] ?? 'config' }
  }
}

/**
 * Makes a folder and those above it that are missing, for their owner alone; what is there stays as it is. Throws a
 * {@link FolderError}.
 *
 * Node's own way (`recursive`) asks again and again where the system says that the folder above is missing although it
 * is there, as /proc does.
 */
export function makeFolder(folder: string): void {
  const path = resolve(folder)
  const missing: string[] = []
  for (let above = path; !isFolder(above, path); above = dirname(above)) missing.unshift(above)
  for (const step of missing) makeOne(step, path)
}

/** Whether it is there. Throws if something else is, or it cannot be looked at. */
function isFolder(path: string, wanted: string): boolean {
  try {
    if (statSync(path).isDirectory()) return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // Below a file there is nothing: it is met on the way up.
    if ((code === 'ENOENT' || code === 'ENOTDIR') && path !== dirname(path)) return false
    throw new FolderError(wanted, code, reasonOf(error, path), { cause: error })
  }
  throw new FolderError(wanted, 'ENOTDIR', `${path} is there and is no folder`)
}

function makeOne(path: string, wanted: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // Another process may have been faster. A link that leads nowhere is met here too.
    if (code === 'EEXIST' && statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
    if (code === 'EEXIST')
      throw new FolderError(wanted, 'ENOTDIR', `${path} is there and is no folder`, { cause: error })
    throw new FolderError(wanted, code, reasonOf(error, dirname(path)), { cause: error })
  }
}

/** What the system means, by its code; `at` is where it said so. */
const REASONS: Record<string, (at: string) => string> = {
  ENOENT: at => `${at} is there, but takes no folders`,
  EACCES: at => `${at} does not let this user in`,
  EPERM: at => `${at} does not let this user write`,
  EROFS: at => `${at} is on a file system that can only be read`,
  ENOSPC: at => `no space is left in ${at}`,
  EDQUOT: at => `the quota of ${at} is used up`,
}

function reasonOf(error: unknown, at: string): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  const said = Object.hasOwn(REASONS, code) ? REASONS[code]?.(at) : undefined
  return said === undefined ? message : `${said} (${code})`
}
