import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the tools live that only some tasks need; the package.json of the repository does not name them. */
const TOOLS = fileURLToPath(new URL('tools', import.meta.url))

/** Installs what the lockfile of a folder names, unless it has been since the lockfile last changed. */
export function installOnce(folder: string, what: string): void {
  const installed = join(folder, 'node_modules', '.package-lock.json')
  const wanted = join(folder, 'package-lock.json')
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs) return
  process.stderr.write(`installing ${what} (npm ci)\n`)
  execFileSync('npm', ['ci', '--silent'], { cwd: folder, stdio: 'inherit' })
}

/** The environment in which the tools are commands like those of the repository; installs them the first time. */
export function withTools(): NodeJS.ProcessEnv {
  installOnce(TOOLS, 'the tools of this task')
  const bin = join(TOOLS, 'node_modules', '.bin')
  return { ...process.env, PATH: `${process.env.PATH}${delimiter}${bin}` }
}
