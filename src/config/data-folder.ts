import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { LoadedConfig } from './loaded.ts'
import { resolveText } from './reference.ts'

/**
 * The folder for state: `--data`, else `MULLIGAN_QUEUE_DATA`, else `[queue] data`, else `mulligan` in the user's state folder
 * (XDG). A path in the file is relative to the file, any other to the working folder.
 */
export function dataFolder(
  loaded: LoadedConfig,
  { env, cwd }: { env: Record<string, string | undefined>; cwd: string },
): string {
  const { data } = loaded.config.queue
  if (data === undefined) return stateFolder(env)
  const origin = loaded.originOf('queue.data')
  const base = origin?.from === 'file' && loaded.file !== undefined ? dirname(loaded.file) : cwd
  const folder = resolveText(data, { env })
  if (folder.startsWith('~/')) return join(env.HOME ?? homedir(), folder.slice(2))
  return isAbsolute(folder) ? folder : resolve(base, folder)
}

/** Whether a file that nobody trusts chose the data folder: what lies there may be a stranger's, and gets no token. */
export function isStrangersFolder(loaded: LoadedConfig): boolean {
  return !loaded.isTrusted && loaded.originOf('queue.data')?.from === 'file'
}

/** `mulligan` in the user's state folder (XDG). */
export function stateFolder(env: Record<string, string | undefined>): string {
  return join(env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state'), 'mulligan')
}
