import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Stubs } from '../../../../test/agent/stub.ts'
import { runCommand } from '../../../../test/cli/terminal.ts'

const NOTHING = '/nowhere'

function folderWith(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-init-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const init = (cwd: string, env: Record<string, string> = {}, ...argv: string[]) =>
  runCommand(['init', ...argv], { cwd, env: { PATH: NOTHING, ...env } })

/** The file with everything that it offers as a comment. */
const withOffers = (text: string) => text.replace(/^# (?=\[\[?[a-z]+\]\]?$|[a-z_]+ = )/gm, '')

it('makes the agent CLIs of the machine a pool, which a dry run then uses', async () => {
  const stubs = new Stubs()
  stubs.make('codex', '')
  stubs.make('claude', '')
  const cwd = folderWith()
  const { code, stdout } = await init(cwd, { PATH: stubs.folder })
  expect(code).toBe(0)
  expect(stdout).toContain('mulligan run --pool coding -- "say hello"')
  // Found, not named: it works because it is trusted.
  const dry = await runCommand(['run', '--pool', 'coding', '--dry-run', '--json', '--', 'hi'], {
    cwd,
    env: { PATH: stubs.folder },
    trusts: false,
  })
  expect(dry.stderr).toBe('')
  expect(dry.stdout).toMatch(/claude[\s\S]*codex/)
})

it('says the next command as it can be typed: by npx, unless mulligan itself is on the PATH', async () => {
  expect((await init(folderWith())).stdout).toMatch(/Next:\n {2}npx mulligan tour\n/)
  const stubs = new Stubs()
  stubs.make('mulligan', '')
  expect((await init(folderWith(), { PATH: stubs.folder })).stdout).toMatch(/Next:\n {2}mulligan tour\n/)
})

it('offers only what is valid, whatever is found', async () => {
  const stubs = new Stubs()
  stubs.make('qwen', '')
  const keys = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'b', GEMINI_API_KEY: 'c', GOOGLE_API_KEY: 'd' }
  for (const env of [{}, keys, { ...keys, PATH: stubs.folder }]) {
    const cwd = folderWith()
    await init(cwd, env)
    const file = join(cwd, 'mulligan.toml')
    const text = readFileSync(file, 'utf8')
    expect((await runCommand(['config', 'check'], { cwd })).stdout).toContain('is valid')
    writeFileSync(file, withOffers(text))
    expect(withOffers(text)).toContain('\n[[surface]]\nname')
    expect((await runCommand(['config', 'check'], { cwd })).stdout).toContain('is valid')
  }
})

it('names keys by their variable and never shows or stores their value', async () => {
  const cwd = folderWith()
  const { stdout } = await init(cwd, { OPENAI_API_KEY: 'hush-hush' })
  expect(stdout).toContain('OPENAI_API_KEY')
  const text = readFileSync(join(cwd, 'mulligan.toml'), 'utf8')
  expect(text).toContain('credential = "env:OPENAI_API_KEY"')
  expect(stdout + text).not.toContain('hush-hush')
})

it('finds MCP clients and the packages that have a guide', async () => {
  const cwd = folderWith({
    'package.json': '{"dependencies": {"openai": "6", "left-pad": "1"}, "devDependencies": {"bullmq": "5"}}',
  })
  mkdirSync(join(cwd, '.cursor'))
  writeFileSync(join(cwd, '.cursor', 'mcp.json'), '{}')
  const { stdout } = await init(cwd, {}, '--dry-run', '--json')
  const { found, next, written } = JSON.parse(stdout)
  expect(found.clients).toEqual(['cursor'])
  expect(found.packages.map(({ name }: { name: string }) => name)).toEqual(['openai', 'bullmq'])
  expect(next).toEqual(
    expect.arrayContaining(['read docs/sdks.md in the package mulligan: one line for openai']),
  )
  expect(written).toBe(false)
})

it.each(['{', 'null', '[]', '{"dependencies": 3}'])('bears %s as package.json', async text => {
  expect(await init(folderWith({ 'package.json': text }))).toMatchObject({ code: 0, stderr: '' })
})

it('never replaces a file, nor follows a link', async () => {
  const cwd = folderWith({ 'mulligan.toml': '# mine\n' })
  expect(await init(cwd)).toMatchObject({ code: 2, stderr: expect.stringContaining('exists already') })
  expect(readFileSync(join(cwd, 'mulligan.toml'), 'utf8')).toBe('# mine\n')
  const linked = folderWith()
  symlinkSync('/nowhere/else', join(linked, 'mulligan.toml'))
  expect(await init(linked)).toMatchObject({ code: 2, stderr: expect.stringContaining('exists already') })
})

it('says which config it takes the place of', async () => {
  const above = folderWith({ 'mulligan.toml': '' })
  const cwd = join(above, 'deep')
  mkdirSync(cwd)
  const { stdout } = await init(cwd)
  expect(stdout).toContain(`takes the place of ${join(above, 'mulligan.toml')}`)
})

it('finds the MCP client whose file is in the project', async () => {
  const { stdout } = await init(folderWith({ '.mcp.json': '{"mcpServers":{}}' }), { HOME: NOTHING })
  expect(stdout).toContain('MCP clients  claude\n')
})

it('says that it cannot write into the folder', async () => {
  const { code, stderr } = await init('/proc')
  expect(code).toBe(1)
  expect(stderr).toMatch(/cannot write \/proc\/mulligan.toml: [A-Z]+; choose a folder that you may write to/)
})
