import { chmodSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { answer } from '../../test/agent/bodies.ts'
import { Stubs } from '../../test/agent/stub.ts'
import { type Ran, runCommand } from '../../test/cli/terminal.ts'
import { defineCapability } from '../capability/define.ts'
import { openQueue } from '../queue/open.ts'
import { COMMAND_NAMES } from './commands.ts'

/** Clears the screen, sets colours and title, reverses the writing direction, returns to the start of the line. */
const HOSTILE = '\u001b[2J\u009b31m\u001b]0;x\u0007\u202eevil\u2066\r'
const OBEYED = /(?![\n\t])\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/u

const stubs = new Stubs()
const cwd = join(realpathSync(mkdtempSync(join(tmpdir(), 'mulligan-hostile-'))), `a${HOSTILE}b`)
const toml = JSON.stringify(HOSTILE).slice(1, -1)

beforeAll(async () => {
  mkdirSync(cwd)
  chmodSync(cwd, 0o700)
  stubs.make('claude', answer({ result: `Done ${HOSTILE}`, session_id: HOSTILE }))
  writeFileSync(
    join(cwd, 'mulligan.toml'),
    `
[queue]
data = "state"
[[provider]]
id = "claude"
env = { PLAIN = "${toml}" }
[provider.probe]
argv = ["sh", "-c", "echo '${toml}' >&2; exit 3"]
[[capability]]
name = "work"
argv = ["true", "--x={x}"]
retry = "none"
params = { x = { description = "${toml}" } }
[[schedule]]
name = "s"
cron = "* * * * *"
capability = "work"
params = { x = "${toml}" }
[[workflow]]
name = "w"
description = "${toml}"
[[workflow.step]]
id = "ask"
ask = "Really? ${toml} {params.x}"
`,
  )
  writeFileSync(join(cwd, 'labels.jsonl'), '')
  const queue = await openQueue({
    data: join(cwd, 'state'),
    capabilities: [
      defineCapability({ name: 'good', retry: 'none', params: z.any(), run: () => `result ${HOSTILE}` }),
      defineCapability({
        name: 'bad',
        retry: 'none',
        params: z.any(),
        run: () => {
          throw new Error(`invalid request: ${HOSTILE}`)
        },
      }),
    ],
  })
  for (const name of ['good', 'bad']) await queue.run(name, { text: HOSTILE }).catch(() => {})
  await queue.close()
})

/** Each command with hostile text to print. */
const CASES: Record<string, readonly (readonly string[])[]> = {
  classify: [['classify'], ['classify', '--json']],
  decide: [['decide']],
  explain: [['explain']],
  serve: [['serve', '--data', 'other']],
  submit: [
    ['submit', 'work', '--param', `x=${HOSTILE}`],
    ['submit', HOSTILE],
  ],
  schedule: [
    ['schedule', 'ls'],
    ['schedule', 'run', 's'],
    ['schedule', 'run', HOSTILE],
  ],
  workflow: [
    ['workflow', 'start', 'w', '--param', `x=${HOSTILE}`],
    ['workflow', 'show', 'wf_1'],
    ['workflow', 'advance', 'wf_1', 'ask', '--result', HOSTILE, '--reason', HOSTILE],
    ['workflow', 'show', 'wf_1', 'ask'],
    ['workflow', 'graph', 'w'],
    ['workflow', 'ls'],
    ['workflow', 'start', HOSTILE],
  ],
  ops: [
    ['ops', 'ls'],
    ['ops', 'show', 'op_1'],
    ['ops', 'show', 'op_2'],
    ['ops', 'show', 'op_1', '--json'],
    ['ops', 'wait', 'op_1'],
    ['ops', 'ls', '--text', HOSTILE],
  ],
  status: [['status'], ['status', '--json']],
  queue: [
    ['queue', 'pause', HOSTILE],
    ['queue', 'resume', 'good'],
  ],
  prune: [['prune']],
  inbox: [['inbox'], ['inbox', '--json'], ['inbox', '--session', HOSTILE]],
  notices: [
    ['notices', 'ls'],
    ['notices', 'test', HOSTILE],
  ],
  unknowns: [
    ['unknowns', 'ls'],
    ['unknowns', 'show', HOSTILE],
    ['unknowns', 'label', HOSTILE, 'transient'],
    ['unknowns', 'import', HOSTILE],
  ],
  group: [
    ['group', 'ls'],
    ['group', 'show', HOSTILE],
    ['run', '--group', HOSTILE, '--queue', '--', 'x'],
  ],
  mcp: [
    ['mcp', HOSTILE],
    ['mcp', 'add', HOSTILE, 'tools', '--', 'true'],
    ['mcp', 'add', 'cursor', HOSTILE, '--', 'true'],
  ],
  backtest: [['backtest', HOSTILE]],
  http: [
    ['http', 'url'],
    ['http', HOSTILE],
  ],
  providers: [
    ['providers', 'pause', 'claude', '--reason', HOSTILE],
    ['providers', 'show', 'claude'],
    ['providers', 'ls'],
    ['providers', 'resume', 'claude'],
    ['providers', 'probe'],
    ['providers', 'show', HOSTILE],
  ],
  council: [['council', '--member', `a=echo '${HOSTILE}'`, '--member', `b=echo '${HOSTILE}'`, '--', 'x']],
  config: [
    ['config', 'show'],
    ['config', 'check'],
    ['config', 'trust', '--list'],
    ['config', HOSTILE],
  ],
  eval: [['eval', HOSTILE]],
  run: [
    ['run', '--', 'x'],
    ['run', '--json', '--', 'x'],
    ['run', '--dry-run', '--', HOSTILE],
  ],
  exec: [
    ['exec', '--', 'echo', HOSTILE],
    ['exec', '--', 'sh', '-c', `echo '${HOSTILE}' >&2; exit 4`],
  ],
  doctor: [['doctor']],
  audit: [['audit']],
  proxy: [
    ['proxy', HOSTILE],
    ['proxy', 'env', HOSTILE],
    ['proxy', 'refuse', HOSTILE],
  ],
  backup: [['backup', `copy-${HOSTILE}`]],
  migrate: [['migrate', '--to', `copy-${HOSTILE}`]],
  restore: [['restore', `copy-${HOSTILE}`]],
  ledger: [
    ['ledger', 'check'],
    ['ledger', 'check', HOSTILE],
  ],
  lab: [['lab', HOSTILE]],
  demo: [['demo', HOSTILE]],
  tour: [['tour']],
  install: [
    ['install', HOSTILE],
    ['install', '--list'],
  ],
  hook: [['hook', 'status-line']],
  service: [
    ['service', HOSTILE],
    ['service', 'install', '--dry-run'],
  ],
  init: [['init'], ['init', HOSTILE]],
  completions: [['completions', HOSTILE]],
}

const running = (argv: readonly string[], where: object = {}): Promise<Ran> => {
  const stop = new AbortController()
  return runCommand([...argv], {
    cwd,
    stdin: `Error: 429 ${HOSTILE}`,
    env: { PATH: `${stubs.folder}:${process.env.PATH}` },
    stdoutIsTerminal: true,
    stderrIsTerminal: true,
    ...where,
    signal: stop.signal,
    // A command that keeps running is stopped as soon as it says that it runs.
    onStderr: text => {
      if (text.includes('ready')) stop.abort(new Error('stop'))
    },
  })
}

describe('hostile text on a terminal', () => {
  it('is tried with every command', () => {
    expect(Object.keys(CASES).sort()).toEqual([...COMMAND_NAMES].sort())
  })

  it.each(Object.entries(CASES))('is escaped by %s, never obeyed', async (_name, all) => {
    for (const argv of all) {
      const { stdout, stderr } = await running(argv)
      expect(stdout + stderr, argv.join(' ')).not.toBe('')
      // Our own live line is cleared.
      expect(stdout + stderr.replaceAll('\r\u001b[K', ''), JSON.stringify(argv)).not.toMatch(OBEYED)
    }
  })

  it('reaches the commands, for example as the answer of an agent or a program', async () => {
    expect((await running(['run', '--', 'x'])).stdout).toContain('Done \\u001b[2J')
    expect((await running(['exec', '--', 'echo', HOSTILE])).stdout).toContain('\\u202eevil')
    expect((await running(['ops', 'show', 'op_1'])).stdout).toContain('\\u001b[2J')
  })

  it('passes unchanged as an answer or the output of a program, if stdout is not a terminal', async () => {
    const piped = (argv: readonly string[]) => running(argv, { stdoutIsTerminal: false })
    expect((await piped(['exec', '--', 'printf', '%s', HOSTILE])).stdout).toBe(HOSTILE)
    expect((await piped(['run', '--', 'x'])).stdout).toContain(`Done ${HOSTILE}`)
  })

  it.each(Object.keys(CASES).filter(name => !['run', 'exec', 'council'].includes(name)))(
    'is escaped by %s in a pipe too, because a log is read on a terminal',
    async name => {
      for (const argv of CASES[name] ?? []) {
        if (argv[1] === 'wait' || (argv[1] === 'show' && argv[3] === 'ask')) continue
        const { stdout, stderr } = await running(argv, { stdoutIsTerminal: false, stderrIsTerminal: false })
        expect(stdout + stderr, JSON.stringify(argv)).not.toMatch(OBEYED)
        if (argv.includes('--json'))
          expect(() => JSON.parse(stdout.trim().split('\n').at(-1) as string)).not.toThrow()
      }
    },
  )
})
