import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'

/** Finds a program like the system does; undefined if it does not exist or cannot be executed. */
export function findBinary(
  name: string,
  { path, cwd }: { path: string | undefined; cwd: string },
): string | undefined {
  if (name === '') return undefined
  const candidates = name.includes('/')
    ? [isAbsolute(name) ? name : resolve(cwd, name)]
    : (path ?? '')
        .split(delimiter)
        .filter(Boolean)
        .map(folder => join(folder, name))
  return candidates.find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
