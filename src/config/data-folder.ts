import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { LoadedConfig } from './loaded.ts'
import { resolveText } from './reference.ts'

/**
 * Where state is kept: `--data`, else `MULLIGAN_QUEUE_DATA`, else `[queue] data`, else `mulligan` in the state folder
 * of the user (XDG). What stands in the file is relative to the file, everything else to the working folder.
 */
export function dataFolder(
  loaded: LoadedConfig,
  { env, cwd }: { env: Record<string, string | undefined>; cwd: string },
): string {
  const { data } = loaded.config.queue
  if (data === undefined)
    return join(env.XDG_STATE_HOME || join(env.HOME ?? homedir(), '.local', 'state'), 'mulligan')
  const origin = loaded.originOf('queue.data')
  const base = origin?.from === 'file' && loaded.file !== undefined ? dirname(loaded.file) : cwd
  const folder = resolveText(data, { env })
  if (folder.startsWith('~/')) return join(env.HOME ?? homedir(), folder.slice(2))
  return isAbsolute(folder) ? folder : resolve(base, folder)
}
