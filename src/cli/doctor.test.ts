import { beforeEach, expect, it } from 'vitest'
import { Stubs } from '../agent/test-stub.ts'
import { runCommand } from './test-terminal.ts'

let stubs: Stubs
beforeEach(() => {
  stubs = new Stubs()
})

const doctor = (argv: string[], env: Record<string, string> = {}) =>
  runCommand(['doctor', ...argv], { cwd: stubs.folder, env: { PATH: stubs.folder, ...env } })

it('says what is there, what is missing and what mends it', async () => {
  stubs.make('claude', `say('2.1.325 (Claude Code)')`)
  stubs.make('codex', `args[0] === '--version' ? say('codex-cli 0.166.0') : end(1)`)
  const { code, stdout } = await doctor(['--pool', 'claude,codex,gemini'], { ANTHROPIC_API_KEY: 'k-123456' })
  expect(code).toBe(1)
  expect(stdout).toMatch(/^claude +ok +2\.1\.325 +login by ANTHROPIC_API_KEY$/m)
  expect(stdout).toMatch(/^codex +not usable +0\.166\.0 +no login$/m)
  expect(stdout).toContain('codex: nobody is logged in, and no key is set; to mend it: codex login')
  expect(stdout).toMatch(/gemini: program gemini was not found.*npm install -g @google\/gemini-cli/)
  expect(stdout).not.toContain('k-123456')
})

it('is content with one agent where none is named', async () => {
  expect(await doctor([])).toMatchObject({ code: 1 })
  stubs.make('claude', `say('2.1.325 (Claude Code)')`)
  expect(await doctor([], { ANTHROPIC_API_KEY: 'k' })).toMatchObject({ code: 0 })
})

it('gives it as JSON', async () => {
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
        login: { state: 'present' },
        complaints: [],
      },
    ],
  })
})

it('refuses an agent that there is not', async () => {
  expect(await doctor(['--provider', 'cloude'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no agent'),
  })
})
