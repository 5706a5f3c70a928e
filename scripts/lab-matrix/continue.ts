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
import { installClis } from './install.ts'
import { limitUntil } from './usage-limit.ts'

// Claude Code, started by a person without Mulligan, meets a usage limit between two turns. The hook that `mulligan install claude
// --continue` left notices it, and a daemon continues the session when the limit lifts. Prints how each scene went.
//
//   node scripts/lab-matrix/continue.ts [once|exit|twice|again …]

const mulligan = fileURLToPath(new URL('../../bin/mulligan.js', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const LIMIT_MS = 75_000
const LONGEST_MS = 210_000
const PROMPT = 'Look around, then answer.'
const HAS_RESULT = /tool_result/

/** Where a scene is played. */
interface Stage {
  cwd: string
  claude: string
  env: Record<string, string | undefined>
  /** Resolves once the hook has left the session to the daemon so often. */
  isLeft: (times: number) => Promise<void>
  refusals: () => number
}

/** What a person does before the limit lifts. */
const SCENES: Record<string, (stage: Stage) => Promise<void>> = {
  once: async stage => {
    await asked(stage, PROMPT)
  },
  exit: async stage => {
    const tmux = (...words: string[]) => bare('tmux', ['-S', join(stage.cwd, '..', 'tmux'), ...words], stage)
    await tmux('new-session', '-d', '-x', '160', '-y', '50', stage.claude, PROMPT)
    await stage.isLeft(1)
    // It may ask what to do about the limit.
    await tmux('send-keys', 'Escape')
    await delay(1_000)
    await tmux('send-keys', '/exit')
    await delay(2_000)
    await tmux('send-keys', 'Enter')
    await delay(3_000)
    await until(async () => (await tmux('has-session')) === 'gone')
  },
  twice: async stage => {
    const printed = await asked(stage, PROMPT)
    await stage.isLeft(1)
    const { session_id: session } = JSON.parse(printed) as { session_id: string }
    const before = stage.refusals()
    await asked(stage, 'Please go on.', '--resume', session)
    await until(async () => stage.refusals() > before)
  },
  again: async stage => {
    await asked(stage, PROMPT)
  },
}

/** The answer of a run in the terminal of a person. */
function asked({ claude, ...stage }: Stage, prompt: string, ...words: string[]): Promise<string> {
  return bare(claude, ['-p', prompt, '--output-format', 'json', ...words], stage)
}

/** What a program prints. Its environment has no mark of ours: the hook would leave a run of Mulligan to Mulligan. */
async function bare(
  program: string,
  words: readonly string[],
  { cwd, env }: Pick<Stage, 'cwd' | 'env'>,
): Promise<string> {
  const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] })
  let printed = ''
  child.stdout.on('data', chunk => {
    printed += chunk
  })
  // What it leaves behind may keep its output open.
  const [code] = await once(child, 'exit')
  return code === 0 || program !== 'tmux' ? printed : 'gone'
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + LONGEST_MS
  while (performance.now() < end && !(await isSo())) await delay(1_000)
}

async function play(name: string, claude: string): Promise<{ line: string; isRight: boolean }> {
  const turns: { turn: 1 | 2; at: number; isRefused: boolean }[] = []
  const lifts: number[] = []
  const limit = () => {
    const end = Date.now() + LIMIT_MS
    lifts.push(end)
    limitUntil(lab, end)
  }
  const answer = (request: LabRequest): Answer => {
    const { tools } = request.body
    if (!Array.isArray(tools) || tools.length === 0) return { ends: 'stop', text: 'ok' }
    const turn = HAS_RESULT.test(request.text) ? 2 : 1
    turns.push({ turn, at: Date.now(), isRefused: lab.steps.length > 0 })
    if (lifts.length === 0) limit()
    else if (name === 'again' && lifts.length === 1 && lab.steps.length === 0) {
      limit()
      return { ends: 'tool', text: '', tool: toolCallFor(request) }
    }
    if (turn === 2) return { ends: 'stop', text: 'The second turn.' }
    return { ends: 'tool', text: '', tool: toolCallFor(request) }
  }
  const lab = await startLab({ answer, slowMs: 100, keep: 2_000 })
  const home = mkdtempSync(join(tmpdir(), `mulligan-continue-${name}-`))
  const cwd = join(home, 'work')
  mkdirSync(cwd)
  await run({ argv: ['git', 'init', '--quiet', cwd] })
  const own = {
    ANTHROPIC_BASE_URL: lab.url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-lab',
  }
  const base = { PATH: process.env.PATH, HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8' }
  writeFileSync(join(cwd, 'mulligan.toml'), configOf(claude, own))
  writeFileSync(join(home, '.claude.json'), knownTo(cwd))
  const command = (...words: string[]) =>
    run({ argv: [process.execPath, mulligan, ...words], cwd, env: base, timeoutMs: LONGEST_MS })
  await command('config', 'trust', 'mulligan.toml')
  const installed = await command('install', 'claude', '--continue', '--yes')
  const daemon = spawn(process.execPath, [mulligan, 'serve', '--no-http', '--log-level', 'warn'], {
    cwd,
    env: base,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const operations = async () => {
    const { stdout } = await command('ops', 'ls', '--json')
    return stdout
  }
  try {
    const refusals = () => turns.filter(({ isRefused }) => isRefused).length
    const isLeft = async (times: number) =>
      until(async () => (await operations()).split('"op_').length > times)
    await SCENES[name]?.({ cwd, claude, env: { ...base, ...own }, isLeft, refusals })
    await isLeft(1)
    const ids = async () => [...new Set((await operations()).match(/"op_\d+"/g) ?? [])]
    const [id = ''] = (await ids()).map(each => JSON.parse(each) as string)
    let shown = { state: '' } as { state?: string; result?: unknown }
    await until(async () => {
      const { stdout } = await command('ops', 'show', id, '--json')
      shown = JSON.parse(stdout || '{}')
      return ['succeeded', 'failed', 'dead', 'parked'].includes(shown.state ?? '')
    })
    const all = (await ids()).length
    const liftsAt = lifts.at(-1) ?? Number.NaN
    const after = turns.find(({ at }) => at >= liftsAt)
    const late = after ? (after.at - liftsAt) / 1_000 : Number.NaN
    const paid = turns.filter(({ turn, isRefused }) => turn === 1 && !isRefused).length
    const isRight = shown.state === 'succeeded' && late <= 30 && all === 1 && paid === 1
    const line = `${isRight ? 'ok  ' : 'NO  '} ${name.padEnd(6)} ${shown.state}, went on ${late.toFixed(1)} s after the limit lifted, ${all} operation(s), first turn paid ${paid} times, ${refusals()} refused`
    return { line: isRight ? line : `${line}\n${installed.stderr}${JSON.stringify(shown)}`, isRight }
  } finally {
    if (daemon.exitCode === null) await quietly(() => ended(daemon))
    await quietly(() => run({ argv: ['tmux', '-S', join(home, 'tmux'), 'kill-server'] }))
    await quietly(() => lab.close())
    void quietly(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  }
}

async function ended(daemon: ChildProcess): Promise<void> {
  const gone = once(daemon, 'exit')
  daemon.kill('SIGTERM')
  await gone
}

/** What Claude Code asks a new user, answered. */
function knownTo(cwd: string): string {
  const project = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true }
  return JSON.stringify({ hasCompletedOnboarding: true, theme: 'dark', projects: { [cwd]: project } })
}

function configOf(claude: string, env: Record<string, string>): string {
  const pairs = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  return [
    '[[provider]]',
    'id = "claude"',
    'cli = "claude"',
    `command = ${JSON.stringify(claude)}`,
    'models = [{ id = "claude-lab-1" }]',
    `env = { ${pairs.join(', ')} }`,
    '',
  ].join('\n')
}

const names = process.argv.slice(2)
const say = (line: string) => process.stderr.write(`${line}\n`)
const bin = await installClis(join(root, '.cache', 'lab-clis'), say, ['claude'])
for (const name of Object.keys(SCENES).filter(each => names.length === 0 || names.includes(each))) {
  const { line, isRight } = await play(name, join(bin, 'claude'))
  process.stdout.write(`${line}\n`)
  if (!isRight) process.exitCode = 1
}
