import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../../../../test/cli/terminal.ts'
import { ClientFile } from './client-file.ts'
import { ownWords } from './clients.ts'

let home: string
let bin: string
let project: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mulligan-home-'))
  bin = join(home, 'bin')
  project = join(home, 'project')
  mkdirSync(bin)
  mkdirSync(project)
  writeFileSync(join(bin, 'mulligan'), '', { mode: 0o755 })
})

const mcp = (...argv: string[]) =>
  runCommand(['mcp', ...argv], { cwd: project, env: { HOME: home, PATH: bin } })
const file = (...path: string[]) => readFileSync(join(home, ...path), 'utf8')
const put = (path: string, text: string) => {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text)
}

const FILES = {
  claude: '.claude.json',
  codex: '.codex/config.toml',
  opencode: '.config/opencode/opencode.json',
  gemini: '.gemini/settings.json',
  qwen: '.qwen/settings.json',
  kimi: '.kimi-code/mcp.json',
  copilot: '.copilot/mcp-config.json',
  cursor: '.cursor/mcp.json',
  vscode: process.platform === 'linux' ? '.config/Code/User/mcp.json' : 'unknown',
} as const

describe('mulligan mcp add', () => {
  it('does not write through a link in the project', async () => {
    mkdirSync(join(home, '.cursor'), { recursive: true })
    writeFileSync(join(home, '.cursor', 'mcp.json'), '{}')
    symlinkSync(join(home, '.cursor'), join(project, '.cursor'))
    const { code, stderr } = await mcp('add', 'cursor', 'x', '--project', '--yes', '--', 'y')
    expect(code).not.toBe(0)
    expect(stderr).toContain('.cursor is a symbolic link, which is not followed')
    expect(file('.cursor', 'mcp.json')).toBe('{}')
  })

  it('warns of a secret in a header', async () => {
    const secret = 'Authorization: Bearer abcdef0123456789abcdef'
    const { stderr } = await mcp('add', 'claude', 'x', '--header', secret, 'https://x.example/mcp')
    expect(stderr).toContain('--header Authorization holds a secret')
    const fine = await mcp('add', 'claude', 'x', '--header', 'Authorization: env:X', 'https://x.example/mcp')
    expect(fine.stderr).not.toContain('holds a secret')
  })

  it.each(Object.entries(FILES))(
    'writes a wrapped server for %s into its own file, and removes it again',
    async (client, path) => {
      const shown = await mcp('add', client, 'files', '--', 'npx', '-y', 'server-files')
      expect(shown).toMatchObject({ code: 0 })
      expect(shown.stdout).toContain('Nothing changed yet; to apply: --yes')
      expect(readdirSync(home)).not.toContain(path.split('/')[0])
      const added = await mcp('add', client, 'files', '--yes', '--', 'npx', '-y', 'server-files')
      expect(added.stdout).toContain('Added files')
      expect(file(path)).toMatch(
        /"mulligan"[\s\S]*"mcp", "wrap", "--name", "files", "--", "npx", "-y", "server-files"/,
      )
      expect(statSync(join(home, path)).mode & 0o777).toBe(0o600)
      const again = await mcp('add', client, 'files', '--yes', '--', 'npx', '-y', 'server-files')
      expect(again.stdout).toContain('Nothing to do')
      expect((await mcp('remove', client, 'files', '--yes')).stdout).toContain('Removed files')
      expect(file(path)).not.toContain('server-files')
      expect((await mcp('remove', client, 'files', '--yes')).stdout).toContain('Nothing to do')
    },
  )

  it('writes a remote server with its headers', async () => {
    const header = 'Authorization: env:TRACKER_AUTH'
    const url = 'https://tracker.example.com/mcp'
    await mcp('add', 'claude', 'tracker', '--header', header, url, '--yes')
    expect(JSON.parse(file('.claude.json')).mcpServers.tracker).toEqual({
      type: 'stdio',
      command: 'mulligan',
      args: ['mcp', 'wrap', '--name', 'tracker', '--header', header, url],
    })
    const wrong = await mcp('add', 'claude', 'other', '--header', 'no colon', url)
    expect(wrong.stderr).toContain('--header takes "Name: value"')
    const misplaced = await mcp('add', 'claude', 'other', '--header', header, '--', 'npx', 'server')
    expect(misplaced.stderr).toContain('--header is for a URL')
  })

  it('leaves a server alone that an earlier version added without its name', async () => {
    const before =
      '{"mcpServers": {"files": {"command": "mulligan", "args": ["mcp", "wrap", "--", "npx", "x"]}}}'
    put('.cursor/mcp.json', before)
    expect((await mcp('add', 'cursor', 'files', '--yes', '--', 'npx', 'x')).stdout).toContain('Nothing to do')
    expect(file('.cursor/mcp.json')).toBe(before)
  })

  it('lets Copilot use all tools of a server, which it asks for', async () => {
    await mcp('add', 'copilot', 'files', '--yes', '--', 'npx', 'x')
    expect(JSON.parse(file('.copilot/mcp-config.json')).mcpServers.files).toMatchObject({
      type: 'local',
      tools: ['*'],
    })
  })

  it('adds its own server if no other is named', async () => {
    await mcp('add', 'claude', '--yes')
    expect(JSON.parse(file('.claude.json'))).toEqual({
      mcpServers: { mulligan: { type: 'stdio', command: 'mulligan', args: ['mcp'] } },
    })
  })

  it('changes the file of a project only with --project', async () => {
    await mcp('add', 'claude', 'files', '--project', '--yes', '--', 'npx', 'x')
    expect(file('project', '.mcp.json')).toContain('wrap')
    expect(readdirSync(home)).not.toContain('.claude.json')
  })

  it('asks on a terminal, and hides secrets in what it shows', async () => {
    put(
      '.cursor/mcp.json',
      '{"mcpServers": {"a": {"command": "x", "env": {"API_KEY": "sk-ant-api03-abcdefghijklmnop"}}}}',
    )
    const answers = ['n', 'y']
    const ask = async () => answers.shift() as string
    const options = { cwd: project, env: { HOME: home, PATH: bin }, isTerminal: true, ask }
    const argv = ['mcp', 'add', 'cursor', 'b', '--', 'npx', 'b']
    const refused = await runCommand(argv, options)
    expect(refused.stdout).not.toContain('abcdefghijklmnop')
    expect(file('.cursor/mcp.json')).not.toContain('"b"')
    const dry = await runCommand(
      ['mcp', 'add', 'cursor', 'b', '--dry-run', '--yes', '--', 'npx', 'b'],
      options,
    )
    expect(dry.stdout).toContain('"b"')
    expect(file('.cursor/mcp.json')).not.toContain('"b"')
    await runCommand(argv, options)
    expect(file('.cursor/mcp.json')).toContain('"b"')
    expect(file('.cursor/mcp.json')).toContain('sk-ant-api03-abcdefghijklmnop')
  })

  it.each([
    [['add'], 'name the CLIENT: claude, codex, opencode, gemini, qwen, kimi, copilot, cursor, vscode'],
    [['add', 'claud', 'x', '--', 'y'], 'unknown client "claud"; did you mean claude?'],
    [['add', 'claude', 'files'], 'files needs a command after --, or a URL'],
    [
      ['add', 'claude', 'files', 'npx'],
      'give the command of the server after --: mulligan mcp add claude files -- npx',
    ],
    [
      ['add', 'claude', 'files', 'npx', '-y', 'server-files'],
      'give the command of the server after --: mulligan mcp add claude files -- npx -y server-files',
    ],
    [['add', 'claude', 'two words', '--', 'x'], '"two words" is not a valid server name'],
    [['add', 'claude', '__proto__', '--', 'x'], 'is not a valid server name'],
    [['add', 'claude', 'a', 'b', 'c', '--', 'x'], 'unexpected "c"; give the command after --'],
    [['remove', 'claude'], 'name the server to remove'],
    [['adopt', 'claude', 'nothing'], 'Claude Code has no server nothing in'],
    [['wrapp'], 'did you mean "mcp wrap"?'],
  ])('answers %j with what would be right', async (argv, told) => {
    const { code, stderr } = await mcp(...argv)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(told) })
  })

  it.each([
    [
      'a link',
      () => symlinkSync(join(home, 'elsewhere'), join(home, '.claude.json')),
      'is a symbolic link, which is not followed',
    ],
    ['a folder', () => mkdirSync(join(home, '.claude.json')), 'is not a file'],
    [
      'a broken file',
      () => put('.claude.json', '{\n  "a": 1,\n  b: 2\n}'),
      '.claude.json:3:3 cannot be read: expected a key in double quotes',
    ],
    [
      'a server of the same name',
      () => put('.claude.json', '{"mcpServers":{"x":{"command":"y"}}}'),
      'has another server x already; to wrap it: mulligan mcp adopt claude x',
    ],
  ])('refuses %s, and changes nothing', async (_what, prepare, told) => {
    prepare()
    const { code, stderr } = await mcp('add', 'claude', 'x', '--yes', '--', 'npx', 'z')
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(told) })
  })

  it('refuses a file that changed after the diff was shown, and leaves no draft behind', () => {
    put('a.json', '{}')
    const read = ClientFile.read(join(home, 'a.json'))
    put('a.json', '{"changed": true}')
    expect(() => read.write('{"ours": true}')).toThrow('was changed meanwhile; nothing was written')
    expect(file('a.json')).toBe('{"changed": true}')
    expect(readdirSync(home).filter(name => name.includes('.tmp'))).toEqual([])
  })
})

describe('mulligan mcp adopt', () => {
  const TEXT = `{
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "files"], "env": { "A": "1" } }, // mine
    "remote": { "type": "http", "url": "https://example.com/mcp" }
  }
}
`

  it('wraps existing servers in place, and restores them exactly', async () => {
    put('.gemini/settings.json', TEXT)
    const adopted = await mcp('adopt', 'gemini', '--yes')
    expect(adopted.stdout).toContain('Wrapped files in Gemini CLI. Restart Gemini CLI to use it.')
    expect(file('.gemini/settings.json')).toBe(
      TEXT.replace(
        '"command": "npx", "args": ["-y"',
        '"command": "mulligan", "args": ["mcp", "wrap", "--name", "files", "--", "npx", "-y"',
      ),
    )
    expect((await mcp('adopt', 'gemini', '--yes')).stdout).toContain('Nothing to do')
    await mcp('adopt', 'gemini', '--undo', '--yes')
    expect(file('.gemini/settings.json')).toBe(TEXT)
  })

  it('wraps only the named servers, and says why one cannot be wrapped', async () => {
    put('.gemini/settings.json', TEXT)
    const { stdout, stderr } = await mcp('adopt', 'gemini', 'remote', '--yes')
    expect(stdout).toContain('Nothing to do')
    expect(stderr).toContain('remote is reached by a URL, and left alone')
  })

  it('finds servers that Claude Code has only for this folder', async () => {
    put(
      '.claude.json',
      JSON.stringify({ projects: { [project]: { mcpServers: { here: { command: 'x' } } } } }, null, 2),
    )
    await mcp('adopt', 'claude', '--yes')
    expect(JSON.parse(file('.claude.json')).projects[project].mcpServers.here).toEqual({
      command: 'mulligan',
      args: ['mcp', 'wrap', '--name', 'here', '--', 'x'],
    })
  })
})

describe('the command that starts Mulligan', () => {
  it.each([
    ['its name, where a client finds it', () => `/nowhere:${bin}`, '/opt/mulligan.js', ['mulligan']],
    [
      'where it is, where a client would not',
      () => join(home, 'node_modules/.bin'),
      '/opt/mulligan.js',
      [process.execPath, '/opt/mulligan.js'],
    ],
    [
      'npx, for a copy that npx may throw away',
      () => '',
      '/home/me/.npm/_npx/1a2b/node_modules/mulligan/bin/mulligan.js',
      ['npx', '-y', 'mulligan'],
    ],
  ])('are %s', (_what, path, script, words) => {
    mkdirSync(join(home, 'node_modules', '.bin'), { recursive: true })
    writeFileSync(join(home, 'node_modules', '.bin', 'mulligan'), '', { mode: 0o755 })
    expect(ownWords({ env: { PATH: path() } }, script)).toEqual(words)
  })
})
