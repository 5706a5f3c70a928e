#!/usr/bin/env node
// Starts the command. Published, it runs dist/. In a clone it runs the sources, on the Node that the clone
// pins when the one that started us is too old to run TypeScript. Plain syntax that Node 20 understands.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const built = join(root, 'dist', 'cli', 'main.js')
const source = join(root, 'src', 'cli', 'main.ts')
const inClone = existsSync(source)
const [major, minor] = process.versions.node.split('.').map(Number)
// Older ones cannot bind the numbered parameters of SQLite.
const recent = major > 24 || (major === 24 && minor >= 7) || (major === 22 && minor >= 20)

// A hangup tells a daemon to read its config; until it has read it once, there is nothing to do.
if (process.argv[2] === 'serve') process.on('SIGHUP', () => {})

if (recent) {
  compileOnce()
  if (major <= 24) leaveOutSqliteWarning()
  const { main } = await import(pathToFileURL(inClone ? source : built).href)
  await main(process.argv.slice(2))
} else {
  const pinned = join(root, 'node_modules', '.bin', 'node')
  if (!existsSync(pinned)) {
    const remedy = inClone
      ? 'run "npm test" or "npm start" once: they install one'
      : 'install Node 22.20, 24.7 or newer'
    process.stderr.write(`mulligan: Node ${process.versions.node} is too old; ${remedy}\n`)
    process.exit(1)
  }
  const { spawn } = await import('node:child_process')
  const { constants } = await import('node:os')
  const child = spawn(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  // A daemon lives long: what this process is told is meant for it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}

/** Keeps the compiled code in the user's cache, because compiling is most of what a short command takes. */
function compileOnce() {
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME, HOME } = process.env
  const folder = XDG_CACHE_HOME || (HOME && join(HOME, '.cache'))
  if (inClone || NODE_COMPILE_CACHE || NODE_DISABLE_COMPILE_CACHE || !folder) return
  // Never in a folder that others can write to: what is in it is run.
  module.enableCompileCache?.(join(folder, 'mulligan', 'compiled'))
}

/** Node 22 and early 24 say at every start that their SQLite is an experiment, which is no news to who runs a command. */
function leaveOutSqliteWarning() {
  const { emitWarning } = process
  process.emitWarning = (warning, ...rest) => {
    if (!String(warning).startsWith('SQLite is an experimental')) emitWarning.call(process, warning, ...rest)
  }
}
