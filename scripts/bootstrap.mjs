// Runs a task, also on a fresh clone: installs dependencies if needed, then runs the task on the pinned Node. Plain
// Node 20 syntax without dependencies, because it must work before anything is installed.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const bin = join(root, 'node_modules', '.bin')
const { signals } = constants
const stamp = join(root, 'node_modules', '.mulligan-installed')
const env = { ...process.env, PATH: bin + delimiter + (process.env.PATH ?? '') }

/**
 * Each task is a list of steps: [title, command, arguments]. The steps of a list within it run beside what follows, which
 * must not need them.
 */
const tasks = {
  test: [
    [
      // More checkers would share the work, but each repeats a part of it, and lint uses the other cores.
      // What it found is kept, and the next run checks only what changed since, and what depends on that.
      ['types', 'tsc', ['--checkers', '1', '--incremental', '--tsBuildInfoFile', '.cache/types.tsbuildinfo']],
      ['types of the dashboard', 'tsc', ['-p', 'web', '--checkers', '1']],
      ['lint', 'biome', ['ci', '--error-on-warnings']],
    ],
    // Many tests wait for processes, and the checks above use the cores meanwhile.
    ['tests', 'node', ['node_modules/vitest/vitest.mjs', 'run']],
  ],
  start: [
    [null, 'node', ['scripts/build-web.ts']],
    [null, 'node', ['bin/mulligan.js', 'serve']],
  ],
  demo: [
    [null, 'node', ['scripts/build-web.ts']],
    [null, 'node', ['bin/mulligan.js', 'demo']],
  ],
  build: [
    [
      null,
      'node',
      [
        '-e',
        "for (const f of ['dist', 'packages/core/dist']) require('node:fs').rmSync(f, { recursive: true, force: true })",
      ],
    ],
    ['types', 'tsc', ['-p', 'tsconfig.build.json']],
    [null, 'node', ['scripts/split-types.ts']],
    ['core, library, command and lab', 'rolldown', ['-c', '--logLevel', 'silent']],
    ['dashboard', 'node', ['scripts/build-web.ts']],
  ],
  'lab:matrix': [[null, 'node', ['scripts/lab-matrix/matrix.ts']]],
  'lab:group': [[null, 'node', ['scripts/group-limit/group-limit.ts']]],
  'sdk:matrix': [[null, 'node', ['scripts/sdk-matrix/matrix.ts']]],
  bench: [[null, 'node', ['--expose-gc', 'bench/run.ts']]],
  'adapters:test': [
    ['engines', 'node', ['adapters-test/install.ts']],
    ['tests', 'vitest', ['run', '--config', 'adapters-test/vitest.config.ts']],
  ],
  sizes: [[null, 'node', ['scripts/dependencies.ts']]],
  docs: [[null, 'node', ['scripts/generated.ts']]],
  release: [[null, 'node', ['scripts/release.ts']]],
  'pack:check': [[null, 'node', ['scripts/pack-check.ts']]],
  screenshots: [
    [null, 'node', ['scripts/build-web.ts']],
    [null, 'node', ['scripts/screenshots.ts']],
  ],
  crash: [[null, 'node', ['scripts/crash.ts']]],
  fuzz: [[null, 'node', ['scripts/fuzz.ts']]],
  soak: [[null, 'node', ['--conditions=mulligan-source', 'scripts/soak/soak.ts']]],
  mutate: [[null, 'node', ['scripts/mutate.ts']]],
  coverage: [[null, 'node', ['scripts/coverage.ts']]],
  format: [[null, 'biome', ['check', '--write']]],
}

function fingerprintOfLockfile() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
}

function say(line) {
  process.stderr.write(`mulligan: ${line}\n`)
}

/** Runs a command and returns its exit code; `quiet` shows its output only if it fails. */
function run(command, args, { quiet = false } = {}) {
  const result = spawnSync(command, args, {
    cwd: root,
    env,
    stdio: quiet ? 'pipe' : 'inherit',
    encoding: 'utf8',
  })
  if (result.error) {
    say(`cannot run ${command}: ${result.error.message}`)
    return 1
  }
  if (quiet && result.status !== 0) process.stderr.write(`${result.stdout}${result.stderr}`)
  return result.status ?? 1
}

/**
 * Runs steps side by side, and shows the output of each under its title when it ends. Resolves with the exit code of the
 * first in the list that failed, else 0; the others run to their end, so one run shows all that is wrong.
 */
async function runTogether(steps) {
  const codes = steps.map(async ([title, command, args]) => {
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const output = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => output.push(chunk))
    const code = await new Promise(resolve => {
      child.on('error', error => {
        output.push(Buffer.from(`mulligan: cannot run ${command}: ${error.message}\n`))
        resolve(1)
      })
      child.on('close', resolve)
    })
    say(`${task}: ${title}${code === 0 ? '' : ' failed'}`)
    process.stderr.write(Buffer.concat(output))
    return code ?? 1
  })
  return (await Promise.all(codes)).find(code => code !== 0) ?? 0
}

/**
 * Runs the last command of a task, which may run for long: forwards signals to it, and exits with its code, or else with that
 * of the checks beside it.
 */
function runLast(command, args, beside) {
  const child = spawn(command, args, { cwd: root, env, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', error => {
    say(`cannot run ${command}: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', async (code, signal) => {
    if (signal) process.exit(128 + (signals[signal] ?? 0))
    const checks = await beside
    if (checks !== 0) say(`${task}: a check failed, see above`)
    process.exit(code === 0 ? checks : code)
  })
}

function install() {
  // A test that starts a task must not replace the packages it runs on.
  if (process.env.MULLIGAN_SKIP_INSTALL === '1') return
  const wanted = fingerprintOfLockfile()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  say('installing dependencies (npm ci), once')
  // The lockfile names packages by their hashes, so npm need not ask the registry about those it has kept.
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  if (run('npm', ['ci', ...flags], { quiet: true }) !== 0) {
    say('npm ci failed, see above')
    process.exit(1)
  }
  writeFileSync(stamp, wanted)
}

const [task, ...rest] = process.argv.slice(2)
const steps = tasks[task]
if (!steps) {
  say(`unknown task ${JSON.stringify(task ?? '')}; one of: ${Object.keys(tasks).join(', ')}`)
  process.exit(2)
}
install()
/** Resolves with the exit code of the steps that run beside the others. */
let beside = Promise.resolve(0)
for (const [index, step] of steps.entries()) {
  if (Array.isArray(step[0])) {
    beside = runTogether(step)
    continue
  }
  const [name, command, args] = step
  if (name) say(`${task}: ${name}`)
  if (index === steps.length - 1) {
    runLast(command, [...args, ...rest], beside)
    break
  }
  const code = run(command, args)
  if (code !== 0) process.exit(code)
}
