import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineCapability } from './define.ts'
import { loadModules } from './load-modules.ts'
import { providersOf } from './providers.ts'
import { CapabilityRegistry } from './registry.ts'

const base = mkdtempSync(join(tmpdir(), 'mulligan-modules-'))
afterAll(() => rmSync(base, { recursive: true }))

const define = (name: string) =>
  defineCapability({ retry: 'none', name, params: z.unknown(), run: () => name })

describe('a registry', () => {
  it('finds its capabilities by name', () => {
    const [a, b] = [define('b'), define('a')]
    const registry = new CapabilityRegistry([a, b])
    expect(registry.names).toEqual(['a', 'b'])
    expect(registry.get('b')).toBe(a)
    expect(registry.get('c')).toBeUndefined()
    expect([...registry]).toEqual([a, b])
    expect([registry.has('a'), registry.size]).toEqual([true, 2])
  })

  it('says what a runner needs to claim', () => {
    const slow = defineCapability({
      retry: 'none',
      name: 'slow',
      params: z.unknown(),
      leaseMs: 9_000,
      concurrency: 2,
      run: () => 1,
    })
    expect(new CapabilityRegistry([define('a'), slow]).claims).toEqual({
      capabilities: ['a', 'slow'],
      leasesMs: { slow: 9_000 },
      limits: { capabilities: { slow: 2 } },
    })
  })

  it('accepts the same one twice, but no two with one name, and nothing else', () => {
    const a = define('a')
    const registry = new CapabilityRegistry([a]).add(a)
    expect(registry.size).toBe(1)
    expect(() => registry.add(define('a'), 'mulligan.toml')).toThrow(
      'capability "a" is defined twice: in code and in mulligan.toml; give one of them another name',
    )
    expect(() => registry.add({ name: 'x' } as never)).toThrow('make one with defineCapability')
  })
})

describe('modules', () => {
  const capability = fileURLToPath(new URL('./index.ts', import.meta.url))
  const urlOf = (file: string) => JSON.stringify(new URL(file, import.meta.url).href)
  const zod = import.meta.resolve('zod')
  const head = `import { defineCapability } from ${JSON.stringify(capability)}
    import { z } from ${JSON.stringify(zod)}
    const define = (name: string) => defineCapability({ name, params: z.object({}), retry: 'none', run: () => name })\n`

  async function load(file: string, source: string) {
    writeFileSync(join(base, file), source)
    const registry = new CapabilityRegistry()
    await loadModules(registry, [`./${file}`], { base })
    return registry.names
  }

  it('provide what they export, by name or as default, alone or in a list', async () => {
    expect(
      await load('named.ts', `${head}export const a = define('a'); export const other = 5; export default a`),
    ).toEqual(['a'])
    expect(await load('listed.ts', `${head}export default [define('b'), define('c')]`)).toEqual(['b', 'c'])
  })

  it.each<[string, string, string]>([
    [
      'empty.ts',
      'export const x = 1',
      'module ./empty.ts: exports no capability; write: export const work = defineCapability',
    ],
    [
      'plain.ts',
      "export const x = { name: 'x', params: {}, run() {} }",
      'module ./plain.ts: the export x looks like a capability, but is a plain object',
    ],
    ['broken.ts', "throw new Error('at start')", 'module ./broken.ts: cannot be loaded: Error: at start'],
    [
      'twice.ts',
      `${head}export const a = define('a'); export const b = define('a')`,
      'capability "a" is defined twice',
    ],
  ])('%s is refused with a reason', async (file, source, message) => {
    await expect(load(file, source)).rejects.toThrow(message)
  })

  it('that do not exist are named', async () => {
    const registry = new CapabilityRegistry()
    await expect(loadModules(registry, ['./none.ts'], { base })).rejects.toThrow(
      `module ./none.ts: there is no file ${join(base, 'none.ts')}`,
    )
  })

  it('are loaded by Node itself, types included, and again on a reload if they changed', async () => {
    const file = join(base, 'again.ts')
    writeFileSync(file, `${head}export const a = define('first')`)
    const program = `
      import { writeFileSync, utimesSync } from 'node:fs'
      import { CapabilityRegistry } from ${urlOf('./registry.ts')}
      import { loadModules } from ${urlOf('./load-modules.ts')}
      async function names(reload) {
        const registry = new CapabilityRegistry()
        await loadModules(registry, ['./again.ts'], { base: ${JSON.stringify(base)}, reload })
        return registry.names.join()
      }
      const seen = [await names(false)]
      writeFileSync(${JSON.stringify(file)}, ${JSON.stringify(`${head}export const a = define('second')`)})
      utimesSync(${JSON.stringify(file)}, 5, 5)
      seen.push(await names(false), await names(true))
      console.log(seen.join(' '))`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
    expect(stdout.trim()).toBe('first first second')
  })
})

describe('the provider of a capability', () => {
  const pools = new Map([['coding', ['claude', 'codex']]])

  it.each<[object, readonly string[]]>([
    [{}, []],
    [{ provider: 'claude' }, ['claude']],
    [{ pool: ['a', 'b'] }, ['a', 'b']],
    [{ pool: 'coding' }, ['claude', 'codex']],
  ])('%j: %j', (given, names) => {
    expect(providersOf({ name: 'x', ...given }, pools)).toEqual(names)
  })

  it('must exist', () => {
    expect(() => providersOf({ name: 'x', pool: 'codng' }, pools)).toThrow(
      'capability "x": there is no pool "codng"; known: coding',
    )
  })
})
