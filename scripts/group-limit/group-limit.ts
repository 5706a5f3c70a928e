import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { run } from '../../src/process/run.ts'
import { quietly } from '../../src/time/clean-up.ts'
import { installClis } from '../lab-matrix/install.ts'
import { problemsOf, type Result, reportOf } from './report.ts'
import { startLimitedVendor } from './vendor.ts'

// A group of real Claude Code runs reaches a usage limit midway. Each run has two turns, and some runs pay for the first
// one before the limit: a run that started over would pay for that turn twice, and the vendor would see it.

const root = fileURLToPath(new URL('../..', import.meta.url))
const mulligan = join(root, 'bin', 'mulligan.js')
const GROUP = 'reviews'
const LONGEST_MS = 15 * 60_000

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '10' },
      'at-once': { type: 'string', default: '4' },
      'limit-seconds': { type: 'string', default: '45' },
      keep: { type: 'boolean', default: false },
    },
  })
  const [runs, atOnce, limit] = [values.runs, values['at-once'], values['limit-seconds']].map(Number)
  if (!runs || !atOnce || !limit) {
    process.stderr.write(
      'usage: npm run lab:group -- [--runs N] [--at-once N] [--limit-seconds N] [--keep]; numbers above 0\n',
    )
    return 2
  }
  const bin = await installClis(join(root, '.cache', 'lab-clis'), say, ['claude'])
  const home = mkdtempSync(join(tmpdir(), 'mulligan-group-'))
  // Midway: some have answered, some are between their two turns, some have not started.
  const vendor = await startLimitedVendor(Math.ceil(runs * 0.6), limit * 1_000)
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    // A subscription: with an API key, Claude Code does not state when a limit ends.
    CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-lab',
    ANTHROPIC_BASE_URL: vendor.lab.url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }
  const repository = await repositoryIn(home, bin)
  const command = async (...words: string[]) => {
    const argv: [string, ...string[]] = [process.execPath, mulligan, ...words]
    return run({ argv, cwd: repository, env, timeoutMs: 60_000 })
  }
  let daemon: ChildProcess | undefined
  try {
    await command('config', 'trust', 'mulligan.toml')
    daemon = spawn(process.execPath, [mulligan, 'serve', '--no-http', '--log-level', 'warn'], {
      cwd: repository,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const prompts = Array.from(
      { length: runs },
      (_, n) => `Prompt number ${n + 1}: read notes.md, then answer.`,
    )
    const limits = ['--max-running', String(atOnce), '--worktree']
    const started = await command('run', '--group', GROUP, '--queue', ...limits, '--', ...prompts)
    if (started.exitCode !== 0) throw new Error(`${started.stdout}\n${started.stderr}`)
    const end = performance.now() + LONGEST_MS
    let shown = ''
    for (;;) {
      await delay(2_000)
      const text = (await command('group', 'show', GROUP)).stdout
      // Shown once while the limit lasts: which runs are held or interrupted, and the expected end.
      if (vendor.limit && shown === '' && Date.now() > vendor.limit.from + limit * 500) {
        shown = text
        say(text)
      }
      const { state } = JSON.parse((await command('group', 'show', GROUP, '--json')).stdout) as {
        state: string
      }
      if (state === 'ended' || performance.now() > end) break
    }
    const lines = (await command('group', 'results', GROUP, '--json')).stdout.trim().split('\n')
    const results = lines.map(line => JSON.parse(line) as Result)
    const seen = { turns: vendor.turns, limit: vendor.limit, results, runs }
    say(reportOf(seen))
    const problems = problemsOf(seen)
    for (const problem of problems) say(`WRONG: ${problem}`)
    return problems.length === 0 ? 0 : 1
  } finally {
    const running = daemon
    if (running?.exitCode === null) await quietly(() => ended(running))
    await quietly(() => vendor.lab.close())
    if (values.keep) say(`kept: ${home}`)
    else void quietly(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  }
}

async function ended(daemon: ChildProcess): Promise<void> {
  const gone = once(daemon, 'exit')
  daemon.kill('SIGTERM')
  await gone
}

const say = (line: string) => void process.stdout.write(`${line}\n`)

/** A repository with a file to read, and a config whose only agent is Claude Code. */
async function repositoryIn(home: string, bin: string): Promise<string> {
  const folder = join(home, 'work')
  mkdirSync(folder)
  writeFileSync(join(folder, 'notes.md'), 'Nothing to see here.\n')
  const claude = JSON.stringify(join(bin, 'claude'))
  writeFileSync(
    join(folder, 'mulligan.toml'),
    `[[provider]]\nid = "claude"\ncli = "claude"\ncommand = ${claude}\nmodels = [{ id = "claude-lab-1" }]\n`,
  )
  const git = (...words: string[]) =>
    run({ argv: ['git', '-c', 'user.name=lab', '-c', 'user.email=lab@localhost', ...words], cwd: folder })
  await git('init', '--quiet')
  await git('add', '.')
  await git('commit', '--quiet', '-m', 'Begin')
  return folder
}

process.exitCode = await main()
