import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from './load.ts'
import type { TrustedConfig } from './loaded.ts'
import { resolveTexts } from './reference.ts'
import { ConfigSource } from './source.ts'
import { trusted } from './trust.ts'
import { TrustRecord } from './trust-record.ts'
import { UntrustedConfig } from './untrusted.ts'

const TEXT = '[[provider]]\nid = "claude"\ncredential = "env:KEY"\nenv = { TOKEN = "env:KEY" }\n'

/** A folder with a config, and a home folder that is not above it. */
function found(text = TEXT) {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'mulligan-trust-')))
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'mulligan-trust-home-')))
  const file = join(cwd, 'mulligan.toml')
  writeFileSync(file, text)
  const options = { cwd, env: { HOME: home, KEY: 'sesame' } }
  return { file, home, options, record: new TrustRecord(options.env) }
}

const hashOf = (options: ReturnType<typeof found>['options']) => loadConfig(options).hash as string

describe('a config that is found by searching upward', () => {
  it('can be inspected, but neither acts nor reveals what it refers to until it is trusted', () => {
    const { options, record, file } = found()
    const loaded = loadConfig(options)
    expect(loaded.config.providers[0]?.id).toBe('claude')
    expect(() => trusted(loaded)).toThrow(UntrustedConfig)
    expect(() => trusted(loaded)).toThrow(`mulligan config trust ${file}`)
    const { credential, env } = loaded.config.providers[0] ?? {}
    expect(() => credential?.resolve(options)).toThrow(UntrustedConfig)
    expect(() => resolveTexts(env ?? {}, options)).toThrow(UntrustedConfig)
    record.add(file, loaded.hash as string, 0)
    const again = trusted(loadConfig(options))
    expect(again.config.providers[0]?.credential?.resolve(options)).toBe('sesame')
  })

  it('cannot be passed to code that acts: the types forbid it', () => {
    const act = (config: TrustedConfig) => config.file
    // @ts-expect-error a loaded config is not a trusted one
    act(loadConfig(found().options))
    expect(act(trusted(loadConfig({ ...found().options, flag: found().file })))).toBeDefined()
  })

  it('loses trust with every change, and is trusted again in its old form', () => {
    const { options, record, file } = found()
    record.add(file, hashOf(options), 0)
    writeFileSync(file, `${TEXT}# \n`)
    expect(loadConfig(options).isTrusted).toBe(false)
    writeFileSync(file, TEXT)
    expect(loadConfig(options).isTrusted).toBe(true)
  })

  it('is trusted at its path, through any link, but not as a copy elsewhere', () => {
    const { options, record, file, home } = found()
    record.add(file, hashOf(options), 0)
    const link = join(home, 'link')
    symlinkSync(options.cwd, link)
    expect(loadConfig({ ...options, cwd: link }).isTrusted).toBe(true)
    const copy = found()
    expect(loadConfig({ ...copy.options, env: options.env }).isTrusted).toBe(false)
  })

  it('is trusted without asking if the user named it or it is their own', () => {
    const { options, file, home } = found()
    expect(loadConfig({ ...options, flag: file }).isTrusted).toBe(true)
    expect(loadConfig({ ...options, env: { ...options.env, MULLIGAN_CONFIG: file } }).isTrusted).toBe(true)
    const own = join(home, '.config', 'mulligan')
    mkdirSync(own, { recursive: true })
    writeFileSync(join(own, 'mulligan.toml'), TEXT)
    expect(loadConfig({ ...options, cwd: '/' })).toMatchObject({ by: 'user', isTrusted: true })
    expect(loadConfig({ ...options, cwd: own })).toMatchObject({ by: 'user', isTrusted: true })
  })

  it('keeps a daemon on the previous config when it changes, until it is trusted in its new form', () => {
    const { options, record, file } = found()
    expect(() => new ConfigSource(options)).toThrow(UntrustedConfig)
    record.add(file, hashOf(options), 0)
    const source = new ConfigSource(options)
    const before = source.current
    writeFileSync(file, TEXT.replace('claude', 'codex'))
    expect(source.reload()).toMatchObject({ ok: false, error: expect.any(UntrustedConfig), kept: before })
    expect(source.current).toBe(before)
    record.add(file, hashOf(options), 0)
    expect(source.reload()).toMatchObject({ ok: true })
  })

  it('is not used either if it appears after a start without any config', () => {
    const { options, file, home } = found()
    const source = new ConfigSource({ ...options, cwd: home })
    writeFileSync(join(home, 'mulligan.toml'), TEXT)
    expect(source.reload()).toMatchObject({ ok: false, error: expect.any(UntrustedConfig) })
    expect(file).not.toBe(source.current.file)
  })
})

describe('the record of trusted configs', () => {
  it('can be read and written only by its owner', () => {
    const { options, record, file, home } = found()
    record.add(file, hashOf(options), 0)
    const path = join(home, '.local', 'state', 'mulligan', 'trusted.json')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(record.list()).toEqual([{ path: file, sha256: hashOf(options), at: '1970-01-01T00:00:00.000Z' }])
    expect(record.remove(file)).toBe(true)
    expect(record.remove(file)).toBe(false)
    expect(loadConfig(options).isTrusted).toBe(false)
  })

  it('is rejected if others could have written it, or through a link', () => {
    const { options, record, file, home } = found()
    record.add(file, hashOf(options), 0)
    const path = join(home, '.local', 'state', 'mulligan', 'trusted.json')
    chmodSync(path, 0o622)
    expect(() => loadConfig(options)).toThrow('other users can write to this record')
    chmodSync(path, 0o600)
    const other = { ...options, env: { HOME: mkdtempSync(join(tmpdir(), 'mulligan-trust-home-')) } }
    mkdirSync(join(other.env.HOME, '.local', 'state', 'mulligan'), { recursive: true })
    symlinkSync(path, join(other.env.HOME, '.local', 'state', 'mulligan', 'trusted.json'))
    expect(() => loadConfig(other)).toThrow('it is a symbolic link')
  })

  it('is rejected if invalid, not taken for an empty one', () => {
    const { options, home } = found()
    mkdirSync(join(home, '.local', 'state', 'mulligan'), { recursive: true })
    writeFileSync(join(home, '.local', 'state', 'mulligan', 'trusted.json'), '{"trusted": [1]}')
    expect(() => loadConfig(options)).toThrow('is not a valid record of trusted configs')
  })
})
