import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Answer } from '../../lab/answer/shape.ts'
import { toolCallFor } from '../../lab/answer/tool-use.ts'
import type { LabRequest } from '../../lab/request.ts'
import { startLab } from '../../lab/start.ts'
import { run } from '../../src/process/run.ts'
import { quietly } from '../../src/time/clean-up.ts'
import { CLI_NAMES, type CliName, installClis } from './install.ts'
import { providerOf } from './pool.ts'
import { limitUntil } from './usage-limit.ts'

// Every CLI meets a usage limit between two turns of one prompt, under `mulligan run --queue` and a daemon. Prints how long after
// the limit lifted its session went on, and whether the first turn was paid for once.
//
//   node scripts/lab-matrix/wait.ts [CLI …]

const mulligan = fileURLToPath(new URL('../../bin/mulligan.js', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
/** More than any CLI waits by itself, so that Mulligan has to. */
const LIMIT_MS = 100_000
const LONGEST_MS = 420_000
const HAS_RESULT = /tool_result|function_call_output|functionResponse|"role":"tool"/

interface Turn {
  turn: 1 | 2
  at: number
  isRefused: boolean
}

async function waited(cli: CliName, bin: string): Promise<{ line: string; isRight: boolean }> {
  const turns: Turn[] = []
  let liftsAt: number | undefined
  const answer = (request: LabRequest): Answer => {
    const { tools } = request.body
    // Requests for a title offer no tools.
    if (!Array.isArray(tools) || tools.length === 0) return { ends: 'stop', text: 'ok' }
    const turn = HAS_RESULT.test(request.text) ? 2 : 1
    turns.push({ turn, at: Date.now(), isRefused: lab.steps.length > 0 })
    if (turn === 2) return { ends: 'stop', text: 'The second turn.' }
    if (liftsAt === undefined) {
      liftsAt = Date.now() + LIMIT_MS
      limitUntil(lab, liftsAt)
    }
    return { ends: 'tool', text: '', tool: toolCallFor(request) }
  }
  const lab = await startLab({ answer, slowMs: 100, keep: 2_000 })
  const home = mkdtempSync(join(tmpdir(), `mulligan-wait-${cli}-`))
  const cwd = join(home, 'work')
  mkdirSync(cwd)
  await run({ argv: ['git', 'init', '--quiet', cwd] })
  writeFileSync(join(cwd, 'mulligan.toml'), providerOf(cli, bin, home, lab.url))
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    // With an API key, Claude Code does not state when a limit ends.
    ...(cli === 'claude' ? { CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-lab' } : {}),
  }
  if (cli === 'claude') writeFileSync(join(cwd, 'mulligan.toml'), ofSubscription(bin, lab.url))
  const command = (...words: string[]) =>
    run({ argv: [process.execPath, mulligan, ...words], cwd, env, timeoutMs: LONGEST_MS })
  await command('config', 'trust', 'mulligan.toml')
  const daemon = spawn(process.execPath, [mulligan, 'serve', '--no-http', '--log-level', 'warn'], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    const asked = await command(
      'run',
      '--queue',
      '--provider',
      cli,
      '--json',
      '--',
      'Look around, then answer.',
    )
    const end = performance.now() + LONGEST_MS
    let state = ''
    while (performance.now() < end && !['succeeded', 'failed', 'dead', 'parked'].includes(state)) {
      await delay(2_000)
      const { stdout } = await command('ops', 'show', 'op_1', '--json')
      state = (JSON.parse(stdout || '{}') as { state?: string }).state ?? `? ${asked.stdout}${asked.stderr}`
    }
    const paid = turns.filter(({ turn, isRefused }) => turn === 1 && !isRefused).length
    const refused = turns.filter(({ isRefused }) => isRefused).length
    const after = turns.find(({ at }) => liftsAt !== undefined && at >= liftsAt)
    const late = after === undefined || liftsAt === undefined ? Number.NaN : (after.at - liftsAt) / 1_000
    const isRight = state === 'succeeded' && paid === 1 && late <= 30
    const line = `${isRight ? 'ok  ' : 'NO  '} ${cli.padEnd(9)} ${state}, went on ${late.toFixed(1)} s after the limit lifted, first turn paid ${paid} times, ${refused} refused`
    return { line, isRight }
  } finally {
    if (daemon.exitCode === null) await quietly(() => ended(daemon))
    await quietly(() => lab.close())
    void quietly(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  }
}

async function ended(daemon: ChildProcess): Promise<void> {
  const gone = once(daemon, 'exit')
  daemon.kill('SIGTERM')
  await gone
}

function ofSubscription(bin: string, url: string): string {
  return [
    '[[provider]]',
    'id = "claude"',
    'cli = "claude"',
    `command = ${JSON.stringify(join(bin, 'claude'))}`,
    'models = [{ id = "claude-lab-1" }]',
    `env = { ANTHROPIC_BASE_URL = "${url}", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC = "1", DISABLE_AUTOUPDATER = "1" }`,
    '',
  ].join('\n')
}

const names = process.argv.slice(2)
const bin = await installClis(join(root, '.cache', 'lab-clis'), line => process.stderr.write(`${line}\n`))
for (const cli of CLI_NAMES.filter(name => names.length === 0 || names.includes(name))) {
  const { line, isRight } = await waited(cli, bin)
  process.stdout.write(`${line}\n`)
  if (!isRight) process.exitCode = 1
}
