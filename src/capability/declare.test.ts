import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testContext } from '../../test/capability/context.ts'
import { defaultPolicy } from '../verdict/default-policy.ts'
import { PRESETS } from '../verdict/presets/presets.ts'
import { capabilityFrom, declareCapabilities } from './declare.ts'
import type { DeclaredCapability } from './declared-capability.ts'
import { CapabilityRegistry } from './registry.ts'
import { verify } from './verify.ts'

const base = mkdtempSync(join(tmpdir(), 'mulligan-declare-'))
afterAll(() => rmSync(base, { recursive: true }))

beforeAll(() => {
  const capability = JSON.stringify(fileURLToPath(new URL('./index.ts', import.meta.url)))
  writeFileSync(
    join(base, 'work.ts'),
    `import { defineCapability } from ${capability}
     import { z } from ${JSON.stringify(import.meta.resolve('zod'))}
     export const greet = ({ name }: { name: string }) => 'hello ' + name
     export default defineCapability({
       name: 'in-code', params: z.object({}), retry: 'verify_first', verify: () => true, provider: 'a', run: () => 1,
     })
     export const number = 5`,
  )
})

const from = (table: DeclaredCapability) =>
  capabilityFrom(table, { base, runAgent: async request => request })

describe('a table of the config', () => {
  it('declares a command, with its verification', async () => {
    const work = await from({
      name: 'touch',
      argv: ['node', '-e', 'console.log(process.cwd() + process.argv[1])', '{file}'],
      params: { file: { description: 'which' }, key: { secret: true, required: false } },
      retry: 'verify_first',
      verify: { argv: ['test', '-e', '{file}'], delayMs: 5 },
      policy: 'oban',
      provider: 'disk',
      leaseMs: 5_000,
      maxRetries: 3,
    })
    expect(await work.run({ file: 'x' }, testContext())).toBe(`${base}x`)
    expect(await verify(work, { file: '/' }, testContext())).toEqual({ state: 'done' })
    expect(await verify(work, { file: '/none' }, testContext())).toEqual({ state: 'absent' })
    expect(work).toMatchObject({
      kind: 'command',
      secrets: ['key'],
      policy: PRESETS.oban,
      leaseMs: 5_000,
      maxRetries: 3,
      verification: { delayMs: 5 },
    })
  })

  it('declares a request, with references as the config gives them', async () => {
    const work = await from({
      name: 'hook',
      description: undefined,
      policy: 'default',
      http: {
        method: 'put',
        url: { variable: 'HOOK_URL' },
        headers: { authorization: { variable: 'TOKEN' } },
        body: '{}',
      },
    })
    expect(work).toMatchObject({ kind: 'http', variables: ['HOOK_URL', 'TOKEN'], policy: defaultPolicy })
  })

  it('declares an agent run', async () => {
    const work = await from({
      name: 'review',
      agent: { prompt: 'Review {x}', cwd: 'app', resume: false, worktree: true, options: { model: 'opus' } },
      params: { x: {} },
      pool: 'coding',
    })
    expect(work).toMatchObject({ kind: 'agent', resumable: false, pool: 'coding' })
    expect(await work.run({ x: 'it' }, testContext())).toMatchObject({
      prompt: 'Review it',
      cwd: join(base, 'app'),
      worktree: true,
    })
  })

  it('declares a function of a module, with its parameters', async () => {
    const work = await from({
      name: 'greet',
      module: './work.ts#greet',
      params: { name: {} },
      retry: 'replay',
    })
    expect(await work.run({ name: 'you' }, testContext())).toBe('hello you')
    expect(work).toMatchObject({ kind: 'function', retry: 'replay' })
  })

  it("sets a module capability's name, provider and limits, and nothing else", async () => {
    const work = await from({
      name: 'other',
      module: './work.ts',
      retry: 'none',
      pool: 'coding',
      timeoutMs: 5,
    })
    expect(work).toMatchObject({ name: 'other', retry: 'verify_first', pool: 'coding', timeoutMs: 5 })
    expect(work).not.toHaveProperty('provider')
    expect(await from({ name: 'same', module: './work.ts' })).toMatchObject({ provider: 'a' })
  })

  it.each<[DeclaredCapability, string]>([
    [{ name: 'x' }, 'capability "x": needs exactly one of argv, http, agent or module, not none'],
    [{ name: 'x', argv: ['a'], module: 'b' }, 'not argv and module'],
    [
      { name: 'x', module: './work.ts#missing' },
      'module ./work.ts must export "missing" as a function or a capability, not undefined',
    ],
    [{ name: 'x', module: './work.ts#number' }, 'not 5'],
    [{ name: 'x', argv: ['a'], retry: 'verify_first' }, 'capability "x": retry "verify_first" needs verify'],
    [{ name: 'x', argv: ['a'], priority: 50 }, 'priority must be a whole number from -10 to 10, not 50'],
    [{ name: 'x', argv: ['a'], policy: 'river' as never }, 'policy must be one of default, '],
    [{ name: 'x', module: './work.ts', timeoutMs: -1 }, 'timeoutMs must be'],
  ])('%j is refused', async (table, message) => {
    await expect(from(table)).rejects.toThrow(message)
  })

  it('needs a way to run agents, and is registered under its place', async () => {
    const registry = new CapabilityRegistry()
    const agent = { name: 'x', agent: { prompt: 'x' } }
    await expect(declareCapabilities(registry, [agent], { base })).rejects.toThrow(
      'this process cannot run agents',
    )
    await declareCapabilities(registry, [{ name: 'x', argv: ['a'], retry: 'none' }], {
      base,
      from: 'mulligan.toml',
    })
    await expect(
      declareCapabilities(registry, [{ name: 'x', argv: ['b'], retry: 'none' }], { base }),
    ).rejects.toThrow('capability "x" is defined twice: in mulligan.toml and in [[capability]]')
  })
})
