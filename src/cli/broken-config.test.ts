import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../test/cli/terminal.ts'
import { COMMAND_NAMES } from './commands.ts'

const CONFIG = `[queue]
data = "data"
[[provider]]
id = "claude"
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
`

/** What each command shows: arguments, and a word of the answer. Commands that act are told so. */
const READING: Record<
  string,
  readonly (readonly [argv: string, word: string])[] | 'acts' | 'needs no config'
> = {
  classify: 'needs no config',
  explain: 'needs no config',
  decide: [['', 'retry']],
  run: 'acts',
  exec: 'acts',
  council: 'acts',
  // Whether the agents of the config can run.
  doctor: 'acts',
  submit: 'acts',
  ops: [
    ['ls', 'op_1'],
    ['show op_1', 'hello'],
  ],
  inbox: [['--workspace', 'Deploy now?']],
  notices: [['ls', 'deploy']],
  unknowns: [
    ['ls', 'No unknown'],
    ['export', ''],
  ],
  schedule: [['ls', 'daily']],
  workflow: [
    ['ls', 'deploy'],
    ['show wf_1', 'approve'],
    ['graph wf_1', 'approve'],
  ],
  group: [['ls', 'No group']],
  status: [['', 'queued']],
  queue: 'acts',
  providers: [
    ['ls', 'rovider'],
    ['show claude', 'claude'],
  ],
  mcp: 'acts',
  proxy: 'acts',
  serve: 'acts',
  audit: [['', 'WHO']],
  http: [['token', 'token']],
  // Its answer is what is wrong.
  config: 'acts',
  prune: 'acts',
  ledger: [['check', 'valid']],
  backup: [['copy', 'copied']],
  migrate: 'acts',
  restore: 'acts',
  demo: 'needs no config',
  lab: 'needs no config',
  backtest: 'needs no config',
  eval: 'needs no config',
  tour: 'needs no config',
  init: 'needs no config',
  completions: 'needs no config',
  service: 'acts',
  install: 'needs no config',
  hook: 'acts',
}

const folder = mkdtempSync(join(tmpdir(), 'mulligan-broken-'))
const mulligan = (argv: string[]) =>
  runCommand(argv, { cwd: folder, stdin: '503 Service Unavailable', now: Date.now, env: { HOME: folder } })

beforeAll(async () => {
  const file = join(folder, 'mulligan.toml')
  writeFileSync(file, CONFIG)
  for (const argv of [
    ['config', 'trust', file],
    ['submit', 'hello'],
    ['workflow', 'start', 'deploy'],
  ])
    expect((await mulligan(argv)).code, argv.join(' ')).toBe(0)
  appendFileSync(file, '[[provider]]\nid = "x"\nbogus = true\n')
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('while the config is broken', () => {
  it('every command is known as one that shows, acts, or needs no config', () => {
    expect(Object.keys(READING).sort()).toEqual([...COMMAND_NAMES].sort())
  })

  const commands = Object.entries(READING).flatMap(([name, shown]) =>
    typeof shown === 'string' ? [] : shown.map(([argv, word]) => [`${name} ${argv}`.trim(), word] as const),
  )
  it.each(commands)('%s works, and says that it is broken', async (argv, word) => {
    const { code, stdout, stderr } = await mulligan(argv.split(' '))
    expect(stderr).toContain('the config is broken')
    expect(stderr).toContain('bogus')
    expect(stdout).toContain(word)
    expect(code).toBe(0)
  })
})
