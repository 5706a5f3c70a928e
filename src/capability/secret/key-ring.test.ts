import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KeyRing, SecretKeyError } from './key-ring.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'mulligan-keys-')), 'data')
  file = join(folder, 'secret.key')
})
afterEach(() => rmSync(join(folder, '..'), { recursive: true }))

describe('the keys of a machine', () => {
  it('begin with one that is created on first use, for its owner only', () => {
    const ring = new KeyRing({ folder })
    expect(ring.ids).toEqual([])
    expect(ring.find('000000000000')).toBeUndefined()
    const { id } = ring.current()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(readdirSync(folder)).toEqual(['secret.key'])
    expect(new KeyRing({ folder }).current().id).toBe(id)
  })

  it('are created once, even if many processes start at the same time', async () => {
    const program = `
      const { KeyRing } = await import(${JSON.stringify(new URL('./key-ring.ts', import.meta.url).href)})
      console.log(new KeyRing({ folder: ${JSON.stringify(folder)} }).current().id)`
    const run = promisify(execFile)
    const started = Array.from({ length: 6 }, () =>
      run(process.execPath, ['--input-type=module', '-e', program]),
    )
    const ids = (await Promise.all(started)).map(({ stdout }) => stdout.trim())
    expect(new Set(ids)).toEqual(new Set([new KeyRing({ folder }).current().id]))
    expect(readdirSync(folder)).toEqual(['secret.key'])
  })

  it.each([0o640, 0o604, 0o660])('are refused in a file of mode %o', mode => {
    const ring = new KeyRing({ folder })
    ring.current()
    chmodSync(file, mode)
    for (const use of [() => ring.current(), () => ring.find('x'), () => new KeyRing({ folder }).ids])
      expect(use).toThrow(`${file} can be read by other users; run: chmod 600 ${file}`)
  })

  it('come from the environment first, and those of the file stay readable', () => {
    const inFile = new KeyRing({ folder }).current().id
    const [newer, older] = [randomBytes(32).toString('base64'), randomBytes(32).toString('hex')]
    const ring = new KeyRing({ folder, env: { MULLIGAN_SECRET_KEY: `${newer}, ${older}` } })
    expect(ring.ids).toHaveLength(3)
    expect(ring.current().id).toBe(ring.ids[0])
    expect(ring.ids[2]).toBe(inFile)
    expect(() => ring.rotate()).toThrow('add the new one before it there')
  })

  it('write no file if the environment has one', () => {
    const ring = new KeyRing({ folder, env: { MULLIGAN_SECRET_KEY: randomBytes(32).toString('base64') } })
    ring.current()
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined()
  })

  it('rotate: a new one is used, old ones still open, and other processes notice', () => {
    const ring = new KeyRing({ folder })
    const elsewhere = new KeyRing({ folder })
    const first = elsewhere.current().id
    const second = ring.rotate()
    expect(elsewhere.ids).toEqual([second, first])
    expect(elsewhere.current().id).toBe(second)
    expect(elsewhere.find(first)?.id).toBe(first)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2)
  })

  it('do not rotate while another process changes them', () => {
    const ring = new KeyRing({ folder })
    const { id } = ring.current()
    writeFileSync(`${file}.lock`, '')
    expect(() => ring.rotate()).toThrow(`if none is, remove ${file}.lock`)
    expect(ring.ids).toEqual([id])
    rmSync(`${file}.lock`)
    ring.rotate()
    expect(readdirSync(folder)).toEqual(['secret.key'])
  })

  it('that are invalid are refused without being repeated', () => {
    new KeyRing({ folder }).current()
    writeFileSync(file, '# old key\n\nnearly-a-key\n')
    const use = () => new KeyRing({ folder }).current()
    expect(use).toThrow(SecretKeyError)
    expect(use).toThrow(`${file}: key 1 must be 32 bytes in base64 or hex`)
    expect(use).not.toThrow('nearly-a-key')
    const fromEnv = () => new KeyRing({ folder, env: { MULLIGAN_SECRET_KEY: 'x' } }).current()
    expect(fromEnv).toThrow('MULLIGAN_SECRET_KEY: key 1 must be')
  })

  it('that cannot be written are reported', () => {
    writeFileSync(folder, 'in the way')
    expect(() => new KeyRing({ folder }).current()).toThrow(SecretKeyError)
  })
})
