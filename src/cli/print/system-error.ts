import { existsSync } from 'node:fs'
import { dirname } from 'node:path'

const OWNER = 'check its owner and permissions'
const SPACE = 'free some space, or choose another place'

/** Why the system refuses, and what helps, by its code. */
const REASONS: Readonly<Record<string, readonly [reason: string, help: string]>> = {
  EACCES: ['this user has no permission', OWNER],
  EPERM: ['this user has no permission', OWNER],
  EROFS: ['its file system is read-only', 'choose another place'],
  ENOSPC: ['its disk is full', SPACE],
  EDQUOT: ['the quota of this user is used up', SPACE],
}

/**
 * What a file error means that no command has put into words; undefined if it is no such error. A file that is not there could
 * not be made, so its folder is the place to look at: its own name may be that of a draft.
 */
export function systemErrorInWords(error: unknown): string | undefined {
  const { code = '', path, message } = (error ?? {}) as NodeJS.ErrnoException
  const [reason, help] = (Object.hasOwn(REASONS, code) && REASONS[code]) || []
  if (reason === undefined || typeof path !== 'string' || !message.startsWith(`${code}: `)) return undefined
  const place = existsSync(path) ? `use ${path}` : `write in ${dirname(path)}`
  return `cannot ${place}: ${reason} (${code}); ${help}`
}
