import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folder of the tools that only some tasks need, with its own package.json. */
const TOOLS = fileURLToPath(new URL('tools', import.meta.url))

/** Installs the packages of a folder's lockfile, unless that was done since the lockfile last changed. */
export function installOnce(folder: string, what: string): void {
  const installed = join(folder, 'node_modules', '.package-lock.json')
  const wanted = join(folder, 'package-lock.json')
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs) return
  process.stderr.write(`installing ${what} (npm ci)\n`)
  execFileSync('npm', ['ci', '--silent'], { cwd: folder, stdio: 'inherit' })
}

/** The environment with the tools on PATH. Installs them on first use. */
export function withTools(): NodeJS.ProcessEnv {
  installOnce(TOOLS, 'the tools of this task')
  const bin = join(TOOLS, 'node_modules', '.bin')
  return { ...process.env, PATH: `${process.env.PATH}${delimiter}${bin}` }
}
