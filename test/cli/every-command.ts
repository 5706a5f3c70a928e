import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMMAND_NAMES } from '../../src/cli/commands.ts'
import { EXIT } from '../../src/cli/exit-code.ts'
import { answer, refuse } from '../agent/bodies.ts'
import { Stubs } from '../agent/stub.ts'
import { runCommand } from './terminal.ts'

// Runs every command in one process, in the folder of the first argument and on the database of the second, and says which
// of them left something running. The process itself must end by itself. For tests.

const [folder, database] = process.argv.slice(2) as [string, string | undefined]

/** How long what a command closed may take to be gone, in milliseconds. */
const GONE_WITHIN_MS = 5_000

const stubs = new Stubs()
stubs.make('claude', answer())
stubs.make('poor', refuse({ api_error_status: 400, result: 'Credit balance is too low' }))
stubs.make('odd', refuse({ result: 'the flux capacitor is detuned' }))
writeFileSync(
  join(folder, 'mulligan.toml'),
  `[queue]
data = "data"
${database === undefined ? '' : `database = ${JSON.stringify(database)}`}
[[provider]]
id = "claude"
cli = "claude"
[[provider]]
id = "odd"
cli = "claude"
command = ${JSON.stringify(join(stubs.folder, 'odd'))}
[[provider]]
id = "poor"
cli = "claude"
command = ${JSON.stringify(join(stubs.folder, 'poor'))}
[[provider]]
id = "spare"
[provider.probe]
argv = ["echo", "ok"]
[[capability]]
name = "hello"
argv = ["echo", "hello"]
retry = "replay"
[[schedule]]
name = "daily"
capability = "hello"
cron = "@daily"
[[workflow]]
name = "deploy"
[[workflow.step]]
id = "approve"
ask = "Deploy now?"
[[workflow.step]]
id = "after"
run = "hello"
after = ["approve"]
[[group]]
name = "nightly"
pool = "claude"
prompts = ["Say hi"]
[[surface]]
name = "note"
kind = "obsidian"
vault = ${JSON.stringify(folder)}
note = "notices.md"
`,
)
writeFileSync(
  join(folder, 'failures.jsonl'),
  '{"id":"a","provider":"a","surface":"cli","input":{"text":"429 Too Many Requests"},"label":{"class":"throttle"}}\n',
)
writeFileSync(
  join(folder, 'signatures.toml'),
  '[[signature]]\nclass = "transient"\npattern = "flux capacitor"\n',
)
writeFileSync(join(folder, 'pack.toml'), '')

/** Words that stand for what earlier commands printed. */
const found: Record<string, string> = {}
const learn = (word: string, text: string) => {
  found[word] = text.trim()
}
const isOnServer = database !== undefined

/** A command, the exit code that shows that it did its work, and what to learn from its output. */
interface Step {
  argv: readonly string[]
  code?: number
  stdin?: string
  /** Aborts the command when it has written this. */
  until?: string
  learn?: (stdout: string) => void
}

const STEPS: readonly (Step | readonly string[])[] = [
  { argv: ['classify'], stdin: '429 Too Many Requests' },
  { argv: ['explain'], stdin: '429 Too Many Requests' },
  { argv: ['decide'], stdin: '429 Too Many Requests' },
  ['tour'],
  ['eval', 'failures.jsonl'],
  ['backtest', 'signatures.toml', '--corpus', 'failures.jsonl'],
  ['config', 'check'],
  ['config', 'show'],
  ['config', 'schema'],
  ['config', 'trust', 'mulligan.toml'],
  ['config', 'distrust', 'mulligan.toml'],
  ['run', '--provider', 'claude', '--', 'fix it'],
  {
    argv: [
      'council',
      '--member',
      `a="${process.execPath}" -p 1`,
      '--member',
      `b="${process.execPath}" -p 2`,
      '--',
      'who?',
    ],
  },
  { argv: ['doctor', '--provider', 'claude'], code: 1 },
  { argv: ['run', '--provider', 'odd', '--', 'fix it'], code: EXIT.unknown },
  { argv: ['run', '--provider', 'poor', '--', 'fix it'], code: EXIT.tryLater },
  { argv: ['exec', '--', process.execPath, '-e', 'process.exit(3)'], code: 3 },
  { argv: ['submit', 'hello'], learn: stdout => learn('SOON', stdout) },
  { argv: ['submit', 'hello', '--at', '1h'], learn: stdout => learn('LATER', stdout) },
  ['schedule', 'ls'],
  ['schedule', 'run', 'daily'],
  ['workflow', 'start', 'deploy'],
  ['group', 'start', 'nightly'],
  { argv: ['serve', '--no-http'], until: 'ready' },
  ['ops', 'ls'],
  ['ops', 'show', 'SOON'],
  ['ops', 'wait', 'SOON'],
  ['ops', 'watch', 'SOON'],
  ['ops', 'edit', 'LATER', '--priority', '1'],
  ['ops', 'retry', 'LATER'],
  ['ops', 'cancel', 'LATER'],
  ['ops', 'discard', 'LATER'],
  ['audit'],
  { argv: ['proxy', '--port', '0'], until: 'listening' },
  ['proxy', 'env', 'claude'],
  ['inbox', '--workspace'],
  ['notices', 'ls'],
  ['notices', 'test', 'note'],
  {
    argv: ['unknowns', 'ls', '--json'],
    learn: stdout => learn('FINGERPRINT', JSON.parse(stdout).unknowns[0]?.fingerprint ?? 'none'),
  },
  ['unknowns', 'show', 'FINGERPRINT'],
  ['unknowns', 'label', 'FINGERPRINT', 'transient', '--no-pattern', '--yes'],
  ['unknowns', 'export'],
  ['unknowns', 'import', 'pack.toml', '--yes'],
  ['unknowns', 'withdraw', 'FINGERPRINT'],
  ['workflow', 'ls'],
  ['workflow', 'show', 'wf_1'],
  ['workflow', 'graph', 'wf_1'],
  ['workflow', 'advance', 'wf_1', 'approve', '--result', 'yes'],
  ['workflow', 'skip', 'wf_1', 'after'],
  ['workflow', 'retry', 'wf_1', 'after', '--from'],
  ['workflow', 'cancel', 'wf_1'],
  ['group', 'ls'],
  ['group', 'show', 'nightly'],
  ['group', 'results', 'nightly'],
  ['group', 'start', 'nightly'],
  ['group', 'cancel', 'nightly'],
  ['status'],
  ['queue', 'pause'],
  ['queue', 'resume'],
  ['providers', 'ls'],
  ['providers', 'show', 'claude'],
  ['providers', 'pause', 'claude'],
  ['providers', 'reset', 'poor'],
  ['providers', 'resume', 'claude'],
  ['providers', 'probe', 'spare'],
  ['http', 'token'],
  { argv: ['http', 'url'], code: 1 },
  { argv: ['http', 'code'], code: 1 },
  ['prune'],
  ['ledger', 'check'],
  { argv: ['ledger', 'compact'], code: isOnServer ? 1 : 0 },
  { argv: ['backup', 'copy'], code: isOnServer ? 1 : 0 },
  { argv: ['restore', 'copy', '--data', 'other'], code: isOnServer ? 1 : 0 },
  ['mcp', 'add', 'claude', 'files', '--dry-run', '--', 'true'],
  ['install', 'claude', '--dry-run'],
  ['hook', 'status-line'],
  ['lab', '--list'],
  { argv: ['init'], code: 2 },
  ['service', 'install', '--dry-run'],
  { argv: ['service', 'status'], code: 1 },
  ['completions', 'bash'],
  { argv: ['migrate', '--to', 'moved'] },
]

/** Commands that end only when they are told to; their own tests stop them. */
const ENDED_ELSEWHERE = ['demo']

const resources = () =>
  process.getActiveResourcesInfo().filter(name => name !== 'Immediate' && name !== 'TickObject')
// Opened at their first use, and open until the end.
void process.stdout
void process.stderr
let before = resources().length

/** Waits until nothing more is active than before any command. */
async function left(): Promise<string[]> {
  const end = performance.now() + GONE_WITHIN_MS
  while (resources().length > before && performance.now() < end)
    await new Promise<void>(resolve => void setTimeout(resolve, 10))
  return resources().length > before ? resources() : []
}

const problems: string[] = []
const ran = new Set<string>()
for (const step of STEPS) {
  const {
    argv: written,
    code: expected = 0,
    stdin = '',
    until,
    learn: read,
  }: Step = 'argv' in step ? step : { argv: step }
  const argv = written.map(word => found[word] ?? word)
  const abort = new AbortController()
  const result = await runCommand(argv, {
    cwd: folder,
    stdin,
    now: Date.now,
    signal: abort.signal,
    env: { PATH: `${stubs.folder}:${process.env.PATH}`, USER: 'ada' },
    onStderr: text => {
      if (until !== undefined && text.includes(until)) abort.abort()
    },
  })
  ran.add(argv[0] as string)
  read?.(result.stdout)
  const name = argv.slice(0, 3).join(' ')
  if (result.code !== expected)
    problems.push(`${name} ended with ${result.code}: ${result.stderr || result.stdout}`)
  const rest = await left()
  if (rest.length > 0) problems.push(`${name} left running: ${rest.join(', ')}`)
  before = Math.max(before, resources().length)
}
const never = COMMAND_NAMES.filter(name => !ran.has(name) && !ENDED_ELSEWHERE.includes(name))
process.stdout.write(`${JSON.stringify({ problems, never })}\n`)
