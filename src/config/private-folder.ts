import { lstatSync, type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { shellWord } from '../option/shell-word.ts'
import { FolderError } from './make-folder.ts'

/**
 * Checks that our folder is private: others cannot write to it, it belongs to the current user, and the named files in it are not
 * symbolic links. A missing folder is fine. Throws a {@link FolderError}.
 *
 * @param names files and folders in it that will be opened
 */
export function checkPrivateFolder(folder: string, names: readonly string[]): void {
  const stat = lookAt(folder, statSync)
  if (!stat) return
  if ((stat.mode & 0o022) !== 0)
    refuse(folder, 'EPERM', `other users can write to it; run: chmod go-w ${shellWord(folder)}`)
  const user = process.geteuid?.()
  if (user === 0 && stat.uid !== 0)
    refuse(
      folder,
      'EPERM',
      `it belongs to another user (id ${stat.uid}), and root would leave files there that they cannot use; run as them: sudo -u '#${stat.uid}' …`,
    )
  if (user !== undefined && stat.uid !== user && stat.uid !== 0)
    refuse(folder, 'EPERM', `it belongs to another user (id ${stat.uid})`)
  for (const name of names)
    if (lookAt(join(folder, name), lstatSync)?.isSymbolicLink())
      refuse(folder, 'ELOOP', `${name} in it is a symbolic link; remove it`)
}

/** Whether a file exists. Throws a {@link FolderError} if that cannot be determined. */
export function isThere(file: string): boolean {
  return lookAt(file, statSync) !== undefined
}

function lookAt(path: string, look: (path: string) => Stats): Stats | undefined {
  try {
    return look(path)
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    const reason = code === 'EACCES' || code === 'EPERM' ? `permission denied (${code})` : message
    return refuse(dirname(path), code, reason, error)
  }
}

function refuse(folder: string, code: string, reason: string, cause?: unknown): never {
  throw new FolderError(folder, code, reason, { cause }, 'use')
}
