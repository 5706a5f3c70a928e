import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { refuse } from '../../../test/agent/bodies.ts'
import { Stubs } from '../../../test/agent/stub.ts'
import { runCommand } from '../../../test/cli/terminal.ts'

let stubs: Stubs
beforeEach(() => {
  stubs = new Stubs()
})

const doctor = (argv: string[], env: Record<string, string> = {}) =>
  runCommand(['doctor', ...argv], { cwd: stubs.folder, env: { PATH: stubs.folder, ...env } })

it('says what is installed, what is missing and how to fix it', async () => {
  stubs.make('claude', `say('2.1.325 (Claude Code)')`)
  stubs.make('codex', `args[0] === '--version' ? say('codex-cli 0.166.0') : end(1)`)
  const { code, stdout } = await doctor(['--pool', 'claude,codex,gemini'], { ANTHROPIC_API_KEY: 'k-123456' })
  expect(code).toBe(1)
  expect(stdout).toMatch(/^claude +ok +2\.1\.325 +login by ANTHROPIC_API_KEY$/m)
  expect(stdout).toMatch(/^codex +not usable +0\.166\.0 +no login$/m)
  expect(stdout).toContain('codex: not logged in, and no key is set; fix: codex login')
  expect(stdout).toMatch(/gemini: program gemini not found.*npm install -g @google\/gemini-cli/)
  expect(stdout).toContain('claude: not checked: that the vendor accepts the login; that the model exists')
  expect(stdout).not.toContain('k-123456')
})

it('is satisfied with one usable agent if none is named', async () => {
  expect(await doctor([])).toMatchObject({ code: 1 })
  stubs.make('claude', `say('2.1.325 (Claude Code)')`)
  expect(await doctor([], { ANTHROPIC_API_KEY: 'k' })).toMatchObject({ code: 0 })
})

it('prints JSON', async () => {
  stubs.make('claude', `say('2.1.325 (Claude Code)')`)
  const { code, stdout } = await doctor(['--provider', 'claude', '--json'], { ANTHROPIC_API_KEY: 'k' })
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    providers: [
      {
        provider: 'claude',
        usable: true,
        version: '2.1.325',
        min_version: '2.0.0',
        login: { state: 'present', told_by_cli: false },
        checked: ['the program exists', 'its version', 'ANTHROPIC_API_KEY is set up'],
        not_checked: [expect.stringContaining('accepts'), expect.any(String)],
        complaints: [],
      },
    ],
  })
})

it('clears the block of a refused login once it works, and no other block', async () => {
  const environment = { ANTHROPIC_API_KEY: 'k', PATH: stubs.folder }
  const mulligan = (...argv: string[]) => runCommand(argv, { cwd: stubs.folder, env: environment })
  const shown = async () => JSON.parse((await mulligan('providers', 'show', 'claude', '--json')).stdout)
  writeFileSync(join(stubs.folder, 'mulligan.toml'), '[[provider]]\nid = "claude"\n')
  const refused = refuse({ api_error_status: 401, result: 'Invalid API key · Fix external API key' })
  stubs.make('claude', `if (args[0] === '--version') say('2.1.325 (Claude Code)'); else { ${refused} }`)
  expect(await mulligan('run', '--provider', 'claude', '--', 'x')).toMatchObject({ code: 77 })
  expect(await shown()).toMatchObject({ admits: false })
  // The state of this login cannot be told.
  const { ANTHROPIC_API_KEY: _key, ...unsure } = environment
  await runCommand(['doctor'], { cwd: stubs.folder, env: unsure })
  expect(await shown()).toMatchObject({ admits: false })
  const { code, stdout } = await mulligan('doctor')
  expect(code).toBe(0)
  expect(stdout).toContain('claude: logged in again, so it is no longer blocked')
  expect(await shown()).toMatchObject({ admits: true, blocks: [] })
  expect((await mulligan('doctor')).stdout).not.toContain('no longer blocked')
  const limited = refuse({ api_error_status: 429, result: "You've hit your weekly limit" })
  stubs.make('claude', `if (args[0] === '--version') say('2.1.325 (Claude Code)'); else { ${limited} }`)
  await mulligan('run', '--provider', 'claude', '--', 'x')
  await mulligan('doctor')
  expect(await shown()).toMatchObject({ admits: false, blocks: [{ failure: { kind: 'usage_limit' } }] })
})

it('names models without their key, and asks for no agent where only models are called', async () => {
  const of = (id: string) =>
    `[[provider]]\nid = "${id}"\napi = "openai"\ncredential = "env:${id.toUpperCase()}_KEY"\n`
  writeFileSync(join(stubs.folder, 'mulligan.toml'), of('one') + of('two'))
  const some = await doctor([], { ONE_KEY: 'k-123456' })
  expect(some).toMatchObject({ code: 1, stdout: '  two: no key: env:TWO_KEY is not set here\n' })
  const all = await doctor([], { ONE_KEY: 'k-123456', TWO_KEY: 'k-123456' })
  expect(all).toMatchObject({ code: 0, stdout: '  every provider has its key\n' })
})

it('refuses an unknown agent', async () => {
  expect(await doctor(['--provider', 'cloude'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('unknown agent'),
  })
})
