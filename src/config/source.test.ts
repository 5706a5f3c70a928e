import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError } from './error.ts'
import { ConfigSource } from './source.ts'

function folderWith(text?: string) {
  const cwd = mkdtempSync(join(tmpdir(), 'mulligan-'))
  const file = join(cwd, 'mulligan.toml')
  if (text !== undefined) writeFileSync(file, text)
  return { cwd, file, env: { HOME: cwd }, ...(text === undefined ? {} : { flag: file }) }
}

const provider = (id: string, rest = '') => `[[provider]]\nid = "${id}"\n${rest}`

describe('a config source', () => {
  it('says what a reload changed, by name and not by position', () => {
    const { file, ...options } = folderWith(`${provider('a')}${provider('b', 'concurrency = 1\n')}`)
    const source = new ConfigSource(options)
    expect(source.current.file).toBe(file)
    writeFileSync(file, `${provider('b', 'concurrency = 2\n')}${provider('a', 'credential = "env:KEY"\n')}`)
    expect(source.reload()).toEqual({
      ok: true,
      changes: [
        { path: 'provider[b].concurrency', before: '1', after: '2' },
        { path: 'provider[a].credential', after: '"env:KEY"' },
      ],
    })
    expect(source.current.config.providers.map(({ id }) => id)).toEqual(['b', 'a'])
    expect(source.reload()).toEqual({ ok: true, changes: [] })
  })

  it('identifies entries without a name by their position', () => {
    const signature = (pattern: string) => `[[signature]]\npattern = "${pattern}"\nclass = "throttle"\n`
    const { file, ...options } = folderWith(`${signature('first')}${signature('second')}`)
    const source = new ConfigSource(options)
    writeFileSync(file, `${signature('other')}${signature('second')}`)
    expect(source.reload()).toEqual({
      ok: true,
      changes: [{ path: 'signature[0].pattern', before: '"first"', after: '"other"' }],
    })
  })

  it('reports that a secret changed, but not its values', () => {
    const { file, ...options } = folderWith(provider('a', 'env = { PASS = "one" }\n'))
    const source = new ConfigSource(options)
    writeFileSync(file, provider('a', 'env = { PASS = "two" }\n'))
    const hidden = '"***REDACTED***"'
    expect(source.reload()).toEqual({
      ok: true,
      changes: [{ path: 'provider[a].env.PASS', before: hidden, after: hidden }],
    })
  })

  it.each([
    ['broken TOML', (file: string) => writeFileSync(file, '[[provider]\n')],
    ['a mistake', (file: string) => writeFileSync(file, provider('a', 'concurency = 2\n'))],
    ['no file any more', (file: string) => rmSync(file)],
  ])('keeps the old config on %s, and says so', (_name, spoil) => {
    const { file, ...options } = folderWith(provider('a'))
    const source = new ConfigSource(options)
    const before = source.current
    spoil(file)
    const reloaded = source.reload()
    expect(reloaded).toMatchObject({ ok: false, error: expect.any(ConfigError) })
    expect(reloaded.ok ? '' : reloaded.error.message).toContain(file)
    expect(source.current).toBe(before)
    writeFileSync(file, provider('c'))
    expect(source.reload()).toMatchObject({ ok: true })
    expect(source.current.config.providers[0]?.id).toBe('c')
  })

  it('finds a file that was created after the start', () => {
    const { cwd, env } = folderWith()
    const file = join(cwd, '.config', 'mulligan', 'mulligan.toml')
    mkdirSync(join(cwd, '.config', 'mulligan'), { recursive: true })
    const options = { cwd: '/', env }
    const source = new ConfigSource(options)
    expect(source.current.file).toBeUndefined()
    writeFileSync(file, provider('a'))
    expect(source.reload()).toMatchObject({ ok: true })
    expect(source.current.file).toBe(file)
  })

  it('does not start with a broken or missing file', () => {
    const { file: _, ...broken } = folderWith('[x]\n')
    expect(() => new ConfigSource(broken)).toThrow(/mulligan\.toml:1:1: unknown table or key "x"/)
    expect(() => new ConfigSource({ ...broken, flag: 'none.toml' })).toThrow('cannot be read: no such file')
  })
})
