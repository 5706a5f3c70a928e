import { execFileSync } from 'node:child_process'
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { redact } from '../failure/redact.ts'
import { hideMatches } from '../failure/secret/known.ts'
import { loadConfig } from './load.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'mulligan-load-'))
const load = (cwd: string) => loadConfig({ env: { HOME: cwd, XDG_STATE_HOME: cwd }, cwd })

afterEach(() => hideMatches([]))

describe('a config that is read before it is trusted', () => {
  it.each([
    ['a link to a device', (file: string) => symlinkSync('/dev/zero', file), 'it is not a regular file'],
    ['a pipe', (file: string) => execFileSync('mkfifo', [file]), 'it is not a regular file'],
    [
      'a file of more than 1 MB',
      (file: string) => writeFileSync(file, '[[provider]]\nid = "a"\n'.repeat(100_000)),
      'it is larger than 1 MB',
    ],
    [
      'a list of 100,000 providers',
      (file: string) => writeFileSync(file, `provider = [${'{x=1},'.repeat(100_000)}]\n`),
      'has more than 20000 values',
    ],
    [
      'a table of 100,000 keys',
      (file: string) => writeFileSync(file, Array.from({ length: 100_000 }, (_, n) => `k${n}=1`).join('\n')),
      'has more than 20000 values',
    ],
  ])('may not be %s', (_what, make, reason) => {
    const cwd = folder()
    make(join(cwd, 'mulligan.toml'))
    expect(() => load(cwd)).toThrow(reason)
  })

  it('may be a link to a file', () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'real.toml'), '[queue]\nconcurrency = 3\n')
    symlinkSync('real.toml', join(cwd, 'mulligan.toml'))
    expect(load(cwd).config.queue.concurrency).toBe(3)
  })
})

describe('[redact] patterns', () => {
  it('hide what they match from then on', () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'mulligan.toml'), '[redact]\npatterns = ["acme-[0-9]{6}"]\n')
    load(cwd)
    expect(redact('acme-123456')).not.toContain('123456')
  })

  it.each([
    ['patterns = ["("]', '2:13: redact.patterns[0] has an invalid pattern "("'],
    [`patterns = [${'"a1", '.repeat(101)}]`, 'has 101 patterns; at most 100 are allowed'],
  ])('must compile, and be few: %s', (line, message) => {
    const cwd = folder()
    writeFileSync(join(cwd, 'mulligan.toml'), `[redact]\n${line}\n`)
    expect(() => load(cwd)).toThrow(message)
  })
})
