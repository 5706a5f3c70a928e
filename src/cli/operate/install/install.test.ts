import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../../../../test/cli/terminal.ts'
import { claudeBaseUrl, deadBaseUrls } from './base-url.ts'
import { INSTALLABLE } from './pieces.ts'

let home: string
let project: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mulligan-install-'))
  project = join(home, 'project')
  mkdirSync(project)
  mkdirSync(join(home, 'bin'))
  writeFileSync(join(home, 'bin', 'mulligan'), '', { mode: 0o755 })
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const install = (...argv: string[]) =>
  runCommand(['install', ...argv, '--data', join(home, 'data')], {
    cwd: project,
    env: { HOME: home, PATH: join(home, 'bin') },
  })

const put = (path: string, text: string) => {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text, { mode: 0o640 })
}

/** Every file below the home with its text and mode, and every folder; not what Mulligan keeps for itself. */
function seen(folder = home): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
      const path = join(folder, entry.name)
      if (path === join(home, 'data')) return []
      if (entry.isDirectory()) return [[relative(home, path), 'folder'], ...Object.entries(seen(path))]
      return [[relative(home, path), `${statSync(path).mode & 0o777} ${readFileSync(path, 'utf8')}`]]
    }),
  )
}

const FOREIGN: Readonly<Record<string, Record<string, string>>> = {
  claude: {
    '.claude/settings.json': '{\n  // mine\n  "model": "opus",\n}\n',
    '.claude/.credentials.json': '{"token":"x"}',
  },
  codex: { '.codex/config.toml': 'model = "gpt-5" # mine\n\n[mcp_servers.other]\ncommand = "x"' },
  opencode: { '.config/opencode/opencode.json': '{"mcp":{"other":{"type":"local","command":["x"]}}}' },
  gemini: { '.gemini/settings.json': '{ "mcpServers": {} }', '.gemini/oauth_creds.json': '{}' },
  qwen: {
    '.qwen/settings.json':
      '{\n\t"hooks": {\n\t\t"Stop": [{ "hooks": [{ "type": "command", "command": "mine" }] }]\n\t},\n\t"mcpServers": {"a": {"command": "b"}}\n}\n',
  },
  kimi: { '.kimi-code/mcp.json': '{}', '.kimi-code/config.toml': 'api_key = "x"\n' },
  copilot: { '.copilot/mcp-config.json': '\n{"mcpServers": {\n}\n}' },
}

describe.each(Object.keys(INSTALLABLE))('an installation in %s', name => {
  it.each([
    ['an empty home', {}],
    ['a home with settings', FOREIGN[name] ?? {}],
  ])('is taken away byte by byte from %s', async (_where, files) => {
    for (const [path, text] of Object.entries(files)) put(path, text)
    const before = seen()
    expect((await install(name, '--yes')).code).toBe(0)
    const after = seen()
    expect(Object.keys(after).length).toBeGreaterThanOrEqual(Object.keys(before).length)
    expect(after).not.toEqual(before)
    expect((await install(name, '--yes')).stdout).toContain('Nothing to do')
    expect(seen()).toEqual(after)
    expect((await install(name, '--remove', '--yes')).code).toBe(0)
    expect(seen()).toEqual(before)
  })

  it('touches no login', async () => {
    for (const [path, text] of Object.entries(FOREIGN[name] ?? {})) put(path, text)
    const before = seen()
    await install(name, '--yes')
    const after = seen()
    const changed = Object.keys(before).filter(path => after[path] !== before[path])
    expect(changed.every(path => !/credentials|oauth|kimi-code\/config|auth\.json/.test(path))).toBe(true)
  })

  it('only shows what would change without --yes, and with --dry-run', async () => {
    const before = seen()
    const shown = await install(name)
    expect(shown.stdout).toContain('(new)')
    expect(shown.stdout).toContain('mulligan')
    await install(name, '--yes', '--dry-run')
    expect(seen()).toEqual(before)
  })

  it('is for a project, and gone from it', async () => {
    const before = seen()
    expect((await install(name, '--project', '--yes')).code).toBe(0)
    const made = Object.keys(seen()).filter(path => !(path in before))
    expect(made.length).toBeGreaterThan(0)
    expect(made.every(path => path.startsWith('project/'))).toBe(true)
    await install(name, '--project', '--remove', '--yes')
    expect(seen()).toEqual(before)
  })
})

it('keeps what the user changed elsewhere in the file', async () => {
  put('.qwen/settings.json', '{\n  "model": "a"\n}\n')
  await install('qwen', '--yes')
  const file = join(home, '.qwen', 'settings.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace('"model": "a"', '"model": "another"'))
  expect((await install('qwen', '--remove', '--yes')).code).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe('{\n  "model": "another"\n}\n')
})

it('says which file it cannot restore, because somebody changed what was installed', async () => {
  await install('codex', '--yes')
  const file = join(home, '.codex', 'config.toml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('mcp', 'mcp", "--mine'))
  const { code, stdout } = await install('codex', '--remove', '--yes')
  expect(code).toBe(1)
  expect(stdout).toContain('config.toml: was changed where Mulligan had written')
  expect(stdout).toContain('Partly removed')
  expect(readFileSync(file, 'utf8')).toContain('--mine')
  // The record stays until that is gone, too.
  expect((await install('--list')).stdout).toMatch(/codex\s+installed/)
  writeFileSync(file, 'model = "mine"\n')
  expect((await install('codex', '--remove', '--yes')).stdout).toContain('Removed from Codex')
  expect(readFileSync(file, 'utf8')).toBe('model = "mine"\n')
  expect((await install('--list')).stdout).toMatch(/codex\s+not installed/)
})

it.each([
  ['claude', '.claude/settings.json'],
  ['qwen', '.qwen/settings.json'],
  ['gemini', '.gemini/settings.json'],
])('removes its entries from %s although the client wrote the file anew', async (name, path) => {
  put(path, '{\n\t"model": "a",\n\t"hooks": {"Stop": [{"hooks": []}]}\n}\n')
  await install(name, '--yes')
  const file = join(home, path)
  const rewritten = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ theme: 'dark', ...rewritten }, undefined, 4))
  const { code, stdout } = await install(name, '--remove', '--yes')
  expect([code, stdout]).toEqual([0, expect.stringContaining('Removed from')])
  const { mcpServers = {}, ...rest } = JSON.parse(readFileSync(file, 'utf8'))
  expect(mcpServers).toEqual({})
  expect(rest).toEqual({ theme: 'dark', model: 'a', hooks: { Stop: [{ hooks: [] }] } })
})

it('takes its records from no config, and touches no file but those of the client', async () => {
  put('.bashrc', 'safe')
  const forged = {
    client: 'claude',
    words: ['mulligan'],
    folders: [],
    files: [
      { file: join(home, '.bashrc'), isNew: false, patches: [{ at: 0, inserted: 'safe', removed: 'evil' }] },
    ],
  }
  put('project/mulligan.toml', '[queue]\ndata = "./state"\n')
  put('project/state/install/claude.json', JSON.stringify(forged))
  const away = (...more: string[]) =>
    runCommand(['install', 'claude', '--remove', '--yes', ...more], {
      cwd: project,
      env: { HOME: home, PATH: join(home, 'bin') },
    })
  expect((await away()).stdout).toContain('not installed')
  const refused = await away('--data', './state')
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('not among the files of claude'),
  ])
  expect(readFileSync(join(home, '.bashrc'), 'utf8')).toBe('safe')
})

it.each(['{}', '[]', 'null', '{"client":"claude","words":[],"folders":[],"files":[{}]}'])(
  'takes a broken record for none: %s',
  async record => {
    put('data/install/claude.json', record)
    expect(await install('claude', '--remove', '--yes')).toMatchObject({ code: 0 })
    const { stdout } = await runCommand(['doctor', '--json', '--data', join(home, 'data')], {
      cwd: project,
      env: { HOME: home, PATH: join(home, 'bin') },
    })
    expect(JSON.parse(stdout).installed).toEqual([])
  },
)

it('replaces no file of somebody else', async () => {
  put('.codex/skills/mulligan/SKILL.md', 'mine')
  const before = seen()
  const { code, stderr } = await install('codex', '--yes')
  expect([code, stderr]).toEqual([2, expect.stringContaining('is there already')])
  expect(seen()).toEqual(before)
})

it('refuses a file that is not UTF-8, of which it would lose bytes', async () => {
  mkdirSync(join(home, '.gemini'))
  const bytes = Buffer.from('{"name":"J\xfcrgen"}', 'latin1')
  writeFileSync(join(home, '.gemini', 'settings.json'), bytes)
  const { code, stderr } = await install('gemini', '--yes')
  expect([code, stderr]).toEqual([2, expect.stringContaining('not UTF-8')])
  expect(readFileSync(join(home, '.gemini', 'settings.json'))).toEqual(bytes)
})

it('plans nothing in the current folder if the home is not set', () => {
  const site = {
    env: { HOME: '' },
    platform: process.platform,
    project: undefined,
    words: ['mulligan'],
    continues: false,
    proxy: undefined,
  }
  const files = Object.values(INSTALLABLE).flatMap(({ pieces }) => pieces(site).map(({ file }) => file))
  expect(files.filter(file => !file.startsWith(homedir()))).toEqual([])
})

it('continues stopped sessions only if that is wished, where a hook tells of them', async () => {
  const { code, stderr } = await install('kimi', '--continue', '--yes')
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('has no hook for a failed turn; claude and qwen have'),
  ])
  await install('qwen', '--continue', '--yes')
  const settings = () => readFileSync(join(home, '.qwen', 'settings.json'), 'utf8')
  expect(settings()).toContain('hook stop-failure --client qwen --continue --owner $PPID')
  await install('qwen', '--remove', '--yes')
  await install('qwen', '--yes')
  expect(settings()).not.toContain('--continue')
})

it('points Claude Code at a proxy only if one runs', async () => {
  const { code, stderr } = await install('claude', '--proxy', '--yes')
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/no proxy runs for .*; start one: mulligan proxy/),
  ])
  expect((await install('codex', '--proxy')).stderr).toContain('"mulligan proxy env codex" says what to set')
  expect((await install('claude', '--proxy', '--project')).stderr).toContain('--proxy is for the user')
})

it('writes a base URL beside the settings of the user, and takes it away byte by byte', () => {
  const { edit, without } = claudeBaseUrl('http://127.0.0.1:8471')
  for (const before of ['{}\n', '{\n  "env": {\n    "A": "b"\n  }\n}\n', '{"model": "opus"}\n']) {
    const after = edit(before)
    expect(JSON.parse(after).env.ANTHROPIC_BASE_URL).toBe('http://127.0.0.1:8471/anthropic')
    expect(edit(after)).toBe(after)
    expect(JSON.parse(without(after) as string)).toEqual(JSON.parse(before))
  }
  const own = '{"env":{"ANTHROPIC_BASE_URL":"https://gateway.example"}}'
  expect([edit(own), without(own)]).toEqual([own, undefined])
})

it('is told by the doctor which client asks a port where nothing listens', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const env = {
    HOME: home,
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}/anthropic`,
    OPENAI_BASE_URL: 'https://elsewhere.example/v1',
  }
  put('.claude/settings.json', JSON.stringify({ env: { ANTHROPIC_BASE_URL: `http://localhost:${port}` } }))
  expect(await deadBaseUrls({ env })).toEqual([])
  const closed = once(server, 'close')
  server.close()
  await closed
  expect((await deadBaseUrls({ env })).map(({ client, where }) => [client, where])).toEqual([
    ['claude', 'ANTHROPIC_BASE_URL'],
    ['claude', 'settings.json'],
  ])
  const dead = `http://127.0.0.1:${port}/v1`
  put('.codex/config.toml', `model_provider = "mine"\n[model_providers.mine]\nbase_url = "${dead}"\n`)
  put(
    '.config/opencode/opencode.json',
    JSON.stringify({ model: 'mine/m', provider: { mine: { options: { baseURL: dead } } } }),
  )
  put(
    '.kimi-code/config.toml',
    `default_model = "m"\n[models.m]\nprovider = "p"\n[providers.p]\nbase_url = "${dead}"\n`,
  )
  put('.qwen/settings.json', JSON.stringify({ security: { auth: { baseUrl: dead } } }))
  const found = await deadBaseUrls({ env: { HOME: home } })
  expect(found.map(({ client, where }) => `${client} ${where}`)).toEqual([
    'claude settings.json',
    'codex its config',
    'opencode its config',
    'kimi its config',
    'qwen its config',
  ])
})

it('says how to undo it, also for a project', async () => {
  const { stdout } = await install('kimi', '--project', '--yes')
  expect(stdout).toContain('mulligan install kimi --remove --project\n')
})

it('follows no link', async () => {
  put('elsewhere.json', '{}')
  mkdirSync(join(home, '.gemini'))
  symlinkSync(join(home, 'elsewhere.json'), join(home, '.gemini', 'settings.json'))
  const { code, stderr } = await install('gemini', '--yes')
  expect(code).toBe(2)
  expect(stderr).toContain('symbolic link')
  expect(readFileSync(join(home, 'elsewhere.json'), 'utf8')).toBe('{}')
})

it('leaves a read-only file alone, and writes nothing else either', async () => {
  put('.gemini/settings.json', '{}')
  chmodSync(join(home, '.gemini', 'settings.json'), 0o440)
  const before = seen()
  const refused = await install('gemini', '--yes')
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('settings.json is read-only')
  expect(seen()).toEqual(before)
  chmodSync(join(home, '.gemini', 'settings.json'), 0o640)
  await install('gemini', '--yes')
  chmodSync(join(home, '.gemini', 'settings.json'), 0o440)
  const installed = seen()
  expect((await install('gemini', '--remove', '--yes')).stderr).toContain('settings.json is read-only')
  expect(seen()).toEqual(installed)
})

it.each([
  ['claude', '.claude/settings.json', '{"a": '],
  ['codex', '.codex/config.toml', 'model = "x'],
  ['gemini', '.gemini/settings.json', '{"a": 1,,'],
])('says which file of %s is broken, and changes nothing', async (name, path, text) => {
  put(path, text)
  const before = seen()
  const { code, stderr } = await install(name, '--yes')
  expect(code).not.toBe(0)
  expect(stderr).toMatch(new RegExp(`${path.split('/').at(-1)}(:1:\\d+)? cannot be read: `))
  expect(seen()).toEqual(before)
})

it('leaves a status line of the user alone', async () => {
  put('.claude/settings.json', '{"statusLine":{"type":"command","command":"mine"}}')
  const before = readFileSync(join(home, '.claude', 'settings.json'), 'utf8')
  await install('claude', '--yes')
  expect(readFileSync(join(home, '.claude', 'settings.json'), 'utf8')).toBe(before)
  expect(existsSync(join(home, '.claude', 'skills', 'mulligan', 'hooks', 'hooks.json'))).toBe(true)
})

it('lists what each client gets and where it is installed', async () => {
  await install('kimi', '--yes')
  const { stdout } = await install('--list')
  expect(stdout).toMatch(/kimi\s+installed for the user/)
  expect(stdout).toMatch(/codex\s+not installed {2,}MCP server; skill\n/)
})

it('is checked by the doctor, who names what is gone', async () => {
  await install('kimi', '--yes')
  const doctor = async () => {
    const { stdout } = await runCommand(['doctor', '--json', '--data', join(home, 'data')], {
      cwd: project,
      env: { HOME: home, PATH: join(home, 'bin') },
    })
    return JSON.parse(stdout).installed
  }
  expect(await doctor()).toEqual([{ client: 'kimi', where: 'the user', problems: [] }])
  rmSync(join(home, 'bin', 'mulligan'))
  rmSync(join(home, '.kimi-code', 'mcp.json'))
  expect(await doctor()).toEqual([
    {
      client: 'kimi',
      where: 'the user',
      problems: [`${join(home, '.kimi-code', 'mcp.json')} is gone`, 'it starts mulligan, which is gone'],
    },
  ])
})

it('guesses a misspelt client', async () => {
  expect((await install('cladue')).stderr).toContain('did you mean claude?')
})
