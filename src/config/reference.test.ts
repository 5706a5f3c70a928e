import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from './read.ts'
import { EnvReference, MissingReference, resolveText, resolveTexts } from './reference.ts'

const folder = mkdtempSync(join(tmpdir(), 'mulligan-'))
writeFileSync(join(folder, 'login.json'), 'the login')
const { config } = readConfig(
  `[[provider]]
id = "a"
credential = "env:KEY"
command = "env:PROGRAM"
env = { TOKEN = "env:TOKEN", PLAIN = "x" }
[[provider]]
id = "b"
credential = "file:login.json"
[[provider]]
id = "c"
credential = "file:~/login.json"
`,
  join(folder, 'mulligan.toml'),
)
const [a, b, c] = config.providers

describe('a reference in the config', () => {
  it('is resolved when needed, not before', () => {
    const env: Record<string, string> = {}
    expect(a?.credential?.isSet({ env })).toBe(false)
    env.KEY = 'v'
    expect(a?.credential?.resolve({ env })).toBe('v')
    expect(resolveTexts(a?.env ?? {}, { env: { TOKEN: 't' } })).toEqual({ TOKEN: 't', PLAIN: 'x' })
    expect(resolveText('as it stands')).toBe('as it stands')
  })

  it.each([{}, { PROGRAM: '' }])('names the variable and the line when it is missing: %j', env => {
    const resolve = () => resolveText(a?.command ?? '', { env })
    expect(resolve).toThrow(MissingReference)
    expect(resolve).toThrow(`${join(folder, 'mulligan.toml')}:4:1: env:PROGRAM: this variable is not set`)
  })

  it("reads a file relative to the config, or to the user's home", () => {
    expect(b?.credential?.resolve()).toBe('the login')
    expect(c?.credential?.resolve({ env: { HOME: folder } })).toBe('the login')
    expect(c?.credential?.isSet({ env: { HOME: '/nowhere' } })).toBe(false)
    expect(() => c?.credential?.resolve({ env: { HOME: '/nowhere' } })).toThrow(
      'mulligan.toml:11:1: file:~/login.json: cannot read this file',
    )
  })

  it('prints as it was written, never as its value', () => {
    process.env.MULLIGAN_TEST_REFERENCE = 'hidden'
    const reference = new EnvReference('MULLIGAN_TEST_REFERENCE')
    expect(reference.resolve()).toBe('hidden')
    expect(`${reference} ${JSON.stringify({ reference })}`).toBe(
      'env:MULLIGAN_TEST_REFERENCE {"reference":"env:MULLIGAN_TEST_REFERENCE"}',
    )
    delete process.env.MULLIGAN_TEST_REFERENCE
  })
})
