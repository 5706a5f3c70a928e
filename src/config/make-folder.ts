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

/** A folder that cannot be created or used. The message names it and the cause; `code` is the system's. */
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
 * Creates a folder and its missing parents, accessible only to the owner; existing ones stay as they are. Throws a
 * {@link FolderError}.
 *
 * Node's own `recursive` option loops if the system says that the parent is missing although it exists, as /proc does.
 */
export function makeFolder(folder: string): void {
  const path = resolve(folder)
  const missing: string[] = []
  for (let above = path; !isFolder(above, path); above = dirname(above)) missing.unshift(above)
  for (const step of missing) makeOne(step, path)
}

/** Whether the folder exists. Throws if something else does, or it cannot be inspected. */
function isFolder(path: string, wanted: string): boolean {
  try {
    if (statSync(path).isDirectory()) return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // Below a file there is nothing; the file itself is found on the way up.
    if ((code === 'ENOENT' || code === 'ENOTDIR') && path !== dirname(path)) return false
    throw new FolderError(wanted, code, reasonOf(error, path), { cause: error })
  }
  throw new FolderError(wanted, 'ENOTDIR', `${path} exists and is not a folder`)
}

function makeOne(path: string, wanted: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // Another process may have created it. A dangling link ends up here too.
    if (code === 'EEXIST' && statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
    if (code === 'EEXIST')
      throw new FolderError(wanted, 'ENOTDIR', `${path} exists and is not a folder`, { cause: error })
    throw new FolderError(wanted, code, reasonOf(error, dirname(path)), { cause: error })
  }
}

/** What a system error code means; `at` is where it occurred. */
const REASONS: Record<string, (at: string) => string> = {
  ENOENT: at => `${at} exists, but folders cannot be created in it`,
  EACCES: at => `${at} is not accessible to this user`,
  EPERM: at => `${at} is not writable for this user`,
  EROFS: at => `${at} is on a read-only file system`,
  ENOSPC: at => `no space is left in ${at}`,
  EDQUOT: at => `the quota of ${at} is used up`,
}

function reasonOf(error: unknown, at: string): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  const said = Object.hasOwn(REASONS, code) ? REASONS[code]?.(at) : undefined
  return said === undefined ? message : `${said} (${code})`
}
