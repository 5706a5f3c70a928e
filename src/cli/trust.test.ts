import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../../test/cli/terminal.ts'
import { COMMAND_NAMES } from './commands.ts'

/** A stranger's folder: everything that its config starts or loads leaves a mark. */
function strangersFolder() {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'mulligan-stranger-')))
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'mulligan-victim-')))
  const mark = join(cwd, 'was-here')
  writeFileSync(join(cwd, 'evil.sh'), `#!/bin/sh\necho "$0 $*" >> ${mark}\n`)
  chmodSync(join(cwd, 'evil.sh'), 0o755)
  writeFileSync(
    join(cwd, 'evil.mjs'),
    `import { appendFileSync } from 'node:fs'\nappendFileSync(${JSON.stringify(mark)}, 'module')\n`,
  )
  writeFileSync(
    join(cwd, 'mulligan.toml'),
    `
[queue]
modules = ["evil.mjs"]
[[provider]]
id = "evil"
cli = "command"
command = "./evil.sh"
credential = "env:KEY"
min_version = "1.0.0"
[provider.probe]
argv = ["${join(cwd, 'evil.sh')}"]
every = "60s"
[[capability]]
name = "declared"
argv = ["./evil.sh", "{n}"]
params = { n = { type = "integer" } }
retry = "verify_first"
verify = { argv = ["./evil.sh"] }
[[capability]]
name = "of-module"
module = "evil.mjs"
retry = "none"
[[schedule]]
name = "often"
cron = "* * * * *"
capability = "declared"
params = { n = 1 }
[[council]]
id = "c"
members = [{ name = "a", command = ["./evil.sh"] }, { name = "b", command = ["./evil.sh"] }]
[[workflow]]
name = "steps"
[[workflow.step]]
id = "one"
run = "declared"
params = { n = 1 }
[[group]]
name = "fan"
pool = "evil"
prompts = ["hello"]
[[upstream]]
name = "evil"
argv = ["./evil.sh"]
[[surface]]
name = "told"
kind = "command"
argv = ["./evil.sh"]
background = true
gather = "0s"
`,
  )
  const run = (argv: string[], more: Partial<Parameters<typeof runCommand>[1]> = {}) =>
    runCommand(argv, {
      cwd,
      trusts: false,
      env: { HOME: home, KEY: 'sesame', PATH: process.env.PATH as string },
      ...more,
    })
  return { cwd, home, mark, run }
}

/** Every command with the arguments of a read-only call; `undefined` if it always acts. */
const LOOKING: Record<string, readonly string[][]> = {
  classify: [['classify']],
  decide: [['decide']],
  submit: [
    ['submit', 'declared', '--param', 'n=1'],
    ['submit', 'of-module'],
  ],
  schedule: [
    ['schedule', 'ls'],
    ['schedule', 'run', 'often'],
  ],
  ops: [
    ['ops', 'ls'],
    ['ops', 'retry', '--state', 'dead', '--yes'],
  ],
  status: [['status'], ['status', '--json']],
  audit: [['audit']],
  inbox: [['inbox'], ['inbox', '--session', 's', '--stop-hook'], ['inbox', '--all']],
  notices: [['notices', 'ls']],
  unknowns: [
    ['unknowns', 'ls'],
    ['unknowns', 'export'],
  ],
  backtest: [['backtest', 'nowhere.toml']],
  http: [
    ['http', 'url'],
    ['http', 'token'],
  ],
  queue: [
    ['queue', 'pause'],
    ['queue', 'resume'],
  ],
  prune: [['prune', '--yes']],
  providers: [
    ['providers', 'ls'],
    ['providers', 'show', 'evil'],
    ['providers', 'pause', 'evil'],
    ['providers', 'resume', 'evil'],
    ['providers', 'reset', 'evil'],
  ],
  explain: [['explain']],
  config: [
    ['config', 'show'],
    ['config', 'check'],
    ['config', 'trust', '--list'],
  ],
  eval: [],
  exec: [['exec', '--', 'true']],
  council: [['council', '--member', 'a=cat', '--member', 'b=cat', '--', 'hello']],
  backup: [['backup', 'copy']],
  migrate: [['migrate', '--to', 'elsewhere']],
  restore: [['restore', 'nowhere']],
  ledger: [['ledger', 'check']],
  lab: [],
  tour: [],
  init: [['init', '--dry-run']],
  // Shows what it would write.
  service: [['service', 'install', '--dry-run']],
  install: [['install', 'claude', '--dry-run']],
  hook: [['hook', 'status-line']],
  completions: [['completions', 'bash']],
  workflow: [
    ['workflow', 'ls'],
    ['workflow', 'start', 'steps'],
  ],
  group: [
    ['group', 'ls'],
    ['group', 'show', 'fan'],
  ],
  // Shows what it would write, and writes only after a yes.
  mcp: [['mcp', 'add', 'cursor', 'tools', '--dry-run', '--', 'true']],
  demo: [],
}

const ACTING: Record<string, readonly string[][]> = {
  serve: [['serve']],
  providers: [
    ['providers', 'probe'],
    ['providers', 'probe', 'evil'],
  ],
  council: [['council', '--council', 'c', '--', 'hello']],
  run: [
    ['run', '--', 'hello'],
    ['run', '--queue', '--', 'hello'],
    ['run', '--dry-run', '--', 'hello'],
  ],
  doctor: [['doctor']],
  proxy: [['proxy'], ['proxy', 'env', 'claude']],
  install: [['install', 'claude', '--proxy', '--yes']],
  group: [['group', 'start', 'fan']],
  mcp: [['mcp', 'wrap']],
  notices: [['notices', 'test', 'told']],
}

describe("a stranger's mulligan.toml in a folder above", () => {
  it('is covered here for every command', () => {
    expect(COMMAND_NAMES.filter(name => !(name in LOOKING) && !(name in ACTING))).toEqual([])
  })

  it('starts and loads nothing when you only read or submit', async () => {
    const { run, mark, cwd } = strangersFolder()
    mkdirSync(join(cwd, 'deep'))
    for (const argv of Object.values(LOOKING).flat()) {
      const { stderr } = await run(argv, { cwd: join(cwd, 'deep'), stdin: 'HTTP 429' })
      expect(stderr, argv.join(' ')).not.toMatch(/not trusted|mulligan\.toml:\d/)
      expect(existsSync(mark), argv.join(' ')).toBe(false)
    }
  })

  it('starts and loads nothing when you act, and one sentence says how to allow it', async () => {
    const { run, mark, cwd } = strangersFolder()
    for (const argv of Object.values(ACTING).flat()) {
      const { code, stderr } = await run(argv)
      expect(code, argv.join(' ')).toBe(1)
      expect(stderr, argv.join(' ')).toContain(`mulligan config trust ${join(cwd, 'mulligan.toml')}`)
      expect(stderr.trim().split('\n')).toHaveLength(1)
      expect(existsSync(mark), argv.join(' ')).toBe(false)
    }
  })

  it('checks declared parameters, and takes those of modules unchecked', async () => {
    const { run } = strangersFolder()
    expect(await run(['submit', 'declared', '--param', 'n=x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('n: '),
    })
    const taken = await run(['submit', 'of-module', '--param', 'a=1'])
    expect(taken).toMatchObject({ code: 0, stderr: expect.stringContaining('its runner will check') })
    const unknown = await run(['submit', 'missing-everywhere'])
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('--unchecked') })
    expect(await run(['submit', 'missing-everywhere', '--unchecked'])).toMatchObject({ code: 0 })
  })

  it('acts after config trust, until it is changed or distrusted', async () => {
    const { run, mark, cwd } = strangersFolder()
    const file = join(cwd, 'mulligan.toml')
    const said = await run(['config', 'trust'])
    expect(said.stdout).toContain(`${file} is now trusted: it may start "./evil.sh"`)
    expect(said.stdout).toContain('load "evil.mjs"')
    expect((await run(['config', 'trust', '--list'])).stdout).toContain(file)
    await run(['providers', 'probe'])
    expect(existsSync(mark)).toBe(true)
    writeFileSync(file, '[[provider]]\nid = "other"\ncli = "command"\ncommand = "./evil.sh"\n')
    expect((await run(['providers', 'probe'])).stderr).toContain('not trusted (new or changed)')
    await run(['config', 'trust', file])
    expect((await run(['providers', 'probe'])).stderr).not.toContain('not trusted')
    expect((await run(['config', 'distrust'])).stdout).toContain('no longer trusted')
    expect((await run(['providers', 'probe'])).stderr).toContain('not trusted')
  })

  it('says where a provider with an API sends its key, and starts nothing for it', async () => {
    const { run, cwd } = strangersFolder()
    writeFileSync(join(cwd, 'mulligan.toml'), '[[provider]]\nid = "a"\napi = "anthropic"\n')
    const { stdout } = await run(['config', 'trust'])
    expect(stdout).toContain('it may send requests to "https://api.anthropic.com".')
  })

  it('is asked about once on a terminal; no is no', async () => {
    const { run, mark } = strangersFolder()
    const questions: string[] = []
    const ask = (answer: string) => async (question: string) => {
      questions.push(question)
      return answer
    }
    expect((await run(['providers', 'probe'], { ask: ask('') })).code).toBe(1)
    expect(existsSync(mark)).toBe(false)
    await run(['providers', 'probe'], { ask: ask('y') })
    expect(existsSync(mark)).toBe(true)
    await run(['providers', 'probe'], { ask: ask('') })
    expect(questions).toHaveLength(2)
    expect(questions[0]).toMatch(/would start "\.\/evil\.sh".*load "evil\.mjs".*\[y\/N\]/s)
  })
})

describe("a data folder that a stranger's mulligan.toml chose", () => {
  /** Answers as a proxy and a daemon would, and keeps what it was asked. */
  async function strangersServer() {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(`${request.url} ${request.headers.authorization}`)
      response.setHeader('content-type', 'application/json')
      response.end('{"holds":[],"code":"1","expires_at":"x"}')
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const stop = async () => {
      const closed = once(server, 'close')
      server.close()
      await closed
    }
    return { asked, stop, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }

  function chosenFolder(url: string) {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'mulligan-stranger-')))
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'mulligan-victim-')))
    mkdirSync(join(cwd, 'x'), { mode: 0o700 })
    writeFileSync(join(cwd, 'mulligan.toml'), '[queue]\ndata = "./x"\n')
    for (const name of ['proxy.json', 'http.json'])
      writeFileSync(join(cwd, 'x', name), JSON.stringify({ url, pid: process.pid }), { mode: 0o600 })
    const run = (argv: string[], trusts = false) =>
      runCommand(argv, { cwd, trusts, env: { HOME: home, PATH: process.env.PATH as string } })
    return { cwd, home, run }
  }

  it('gets no token, and no client is pointed at who is published there', async () => {
    const { asked, stop, url } = await strangersServer()
    try {
      const { run, home } = chosenFolder(url)
      expect(await run(['status'])).toMatchObject({ code: 0, stdout: expect.not.stringContaining(url) })
      for (const argv of [
        ['install', 'claude', '--proxy', '--yes'],
        ['proxy', 'env', 'claude'],
        ['proxy', 'holds'],
        ['proxy', 'release', 'h1'],
        ['http', 'url'],
        ['http', 'code'],
      ])
        expect(await run(argv), argv.join(' ')).toMatchObject({
          code: 1,
          stdout: '',
          stderr: expect.stringContaining('mulligan config trust'),
        })
      expect(readdirSync(home).join()).not.toContain('.claude')
      expect(asked).toEqual([])
      expect((await run(['status'], true)).stdout).toContain(`proxy      ${url}`)
      expect(asked).toHaveLength(1)
      await run(['install', 'claude', '--proxy', '--yes'], true)
      expect(readFileSync(join(home, '.claude', 'settings.json'), 'utf8')).toContain(`${url}/anthropic`)
    } finally {
      await stop()
    }
  })

  it.each([
    ['that others can read, as files of a repository are', (file: string) => chmodSync(file, 0o644)],
    [
      'that is a link',
      (file: string) => {
        renameSync(file, `${file}.real`)
        symlinkSync(`${file}.real`, file)
      },
    ],
    [
      'that names another machine',
      (file: string) =>
        writeFileSync(file, JSON.stringify({ url: 'http://proxy.example:80', pid: process.pid })),
    ],
    [
      'that hides another machine behind a user name',
      (file: string) =>
        writeFileSync(file, JSON.stringify({ url: 'http://127.0.0.1:80@proxy.example', pid: process.pid })),
    ],
  ])('of a trusted one has no proxy by an address file %s', async (_how, spoil) => {
    const { asked, stop, url } = await strangersServer()
    try {
      const { run, cwd } = chosenFolder(url)
      spoil(join(cwd, 'x', 'proxy.json'))
      expect((await run(['status'], true)).stdout).not.toContain('proxy      ')
      expect(await run(['proxy', 'holds'], true)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('no proxy runs for'),
      })
      expect((await run(['proxy', 'env', 'claude'], true)).stdout).not.toMatch(`${url}|proxy.example`)
      expect(asked).toEqual([])
    } finally {
      await stop()
    }
  })
})
