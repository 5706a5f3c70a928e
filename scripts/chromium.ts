import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Path of Chromium: CHROMIUM, else the first on PATH; undefined if there is none. */
export function chromiumPath(
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  if (env.CHROMIUM) return env.CHROMIUM
  const folders = (env.PATH ?? '').split(delimiter).filter(folder => folder !== '')
  return NAMES.flatMap(name => folders.map(folder => join(folder, name))).find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
