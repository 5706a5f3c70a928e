import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dataFolder } from './data-folder.ts'
import { ConfigError } from './error.ts'
import { loadConfig } from './load.ts'
import { loadBroken } from './load-broken.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'mulligan-broken-'))
})
afterEach(() => rmSync(cwd, { recursive: true, force: true }))

const folderOf = (text: string, env: Record<string, string> = {}) => {
  writeFileSync(join(cwd, 'mulligan.toml'), text)
  const place = { cwd, env: { HOME: '/home/me', ...env } }
  expect(() => loadConfig(place)).toThrow(ConfigError)
  return dataFolder(loadBroken(place), place)
}

describe('a broken config', () => {
  it.each([
    ['a wrong value', '[queue]\ndata = "state"\nmax_retries = "many"\n'],
    ['an unknown key', 'colour = "red"\n[queue]\ndata = "state"\n'],
    ['no TOML after it', "[queue]\n# where\ndata = 'state'\n[[provider]\nid = 'x'\n"],
    ['no TOML before it', 'x = = 1\n\n[queue]\ndata = "state" # here\n'],
  ])('still says where its ledger is, with %s', (_what, text) => {
    expect(folderOf(text)).toBe(join(cwd, 'state'))
  })

  it('that says nothing about it leaves the default', () => {
    expect(folderOf('[queue]\nmax_retries = "many"\n')).toBe('/home/me/.local/state/mulligan')
    expect(folderOf('[[provider]\ndata = "not this"\n')).toBe('/home/me/.local/state/mulligan')
  })

  it('may be broken by a variable', () => {
    const text = '[queue]\ndata = "state"\n'
    expect(folderOf(text, { MULLIGAN_QUEUE_MAX_RETRIES: 'many' })).toBe(join(cwd, 'state'))
  })

  it('of a stranger gets no database of its own trusted', () => {
    writeFileSync(join(cwd, 'mulligan.toml'), '[queue]\ndatabase = "postgres://evil/"\nx = 1\n')
    const loaded = loadBroken({ cwd, env: { HOME: '/home/me' } })
    expect(loaded.isTrusted).toBe(false)
    expect(loaded.originOf('queue.database')).toMatchObject({ from: 'file' })
  })

  it('that cannot be read at all is an error', () => {
    expect(() => loadBroken({ cwd, flag: 'gone.toml', env: {} })).toThrow('cannot be read: no such file')
  })
})
