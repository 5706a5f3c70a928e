import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import { ConfigError } from './error.ts'
import { loadConfig } from './load.ts'
import { readConfig } from './read.ts'
import { loadSignatures } from './signatures.ts'

const TEXT = 'the flux capacitor is detuned'
const whole = `[[signature]]
pattern = "flux capacitor"
class = "throttle"
kind = "quota"
effect = "none"
retry_after = "2h"
why = "the vendor calls its quota so"
`
const inFolder = (text: string) => {
  const home = mkdtempSync(join(tmpdir(), 'mulligan-signature-'))
  const cwd = join(home, 'found')
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'mulligan.toml'), text)
  return { file: join(cwd, 'mulligan.toml'), cwd, env: { HOME: home } }
}

describe('[[signature]]', () => {
  it('says everything about a failure that a label can, for any provider', () => {
    const { config, signatures } = readConfig(whole, 'mulligan.toml')
    expect(config.signatures[0]).toMatchObject({ class: 'throttle', retryAfterMs: 7_200_000 })
    expect(classify(TEXT, { signatures, now: 0 })).toMatchObject({
      class: 'throttle',
      kind: 'quota',
      effect: 'none',
      retryAfterMs: 7_200_000,
    })
    expect(classify(TEXT, { signatures, provider: 'anybody' })?.kind).toBe('quota')
  })

  it('comes after the lists of a provider', () => {
    const { signatures } = readConfig(
      `${whole}[[provider]]\nid = "p"\nerror_signatures = { flake = ["detuned"] }\n`,
      'mulligan.toml',
    )
    expect(classify(TEXT, { signatures, provider: 'p' })?.class).toBe('transient')
  })

  it.each([
    ['class = "throttle"', 1, 'signature[0] needs a "pattern" or a "fingerprint"'],
    ['pattern = "a("\nclass = "transient"', 2, 'has an invalid pattern "a(": missing closing )'],
    ['pattern = ".*"\nclass = "transient"', 2, 'matches the empty string'],
    ['pattern = "x"\nclass = "flake"', 3, 'must be one of "throttle", "transient"'],
    ['pattern = "x"\nclass = "unknown"', 3, 'must be one of "throttle", "transient"'],
    ['pattern = "x"\nclass = "throttle"\nkind = "auth"', 4, 'auth does not occur under throttle'],
    ['pattern = "x"\nclass = "timeout"\nretry_after = "1h"', 4, 'only a throttle or a transient failure'],
    ['pattern = "x"\nclass = "throttle"\nretry_after = "40d"', 4, 'at most 35 days'],
    ['pattern = "x"\nclass = "throttle"\neffect = "done"', 4, 'must be one of "none", "maybe"'],
    ['fingerprint = "fp1:x"\nclass = "throttle"', 2, 'must be a fingerprint such as'],
    ['patern = "x"\nclass = "throttle"', 2, 'did you mean "pattern"?'],
  ])('refuses %j, and names the line', async (body, line, message) => {
    const text = `[[signature]]\n${body}\n`
    const read = () => readConfig(text, 'mulligan.toml')
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(message)
    expect(read).toThrow(`mulligan.toml:${line}:`)
    const { file } = inFolder(text)
    await expect(loadSignatures(file)).rejects.toThrow(message)
    await expect(loadSignatures(file)).rejects.toThrow(`mulligan.toml:${line}:`)
  })

  it('must name a provider of the config, if it has any', () => {
    const of = `[[signature]]\npattern = "x"\nclass = "throttle"\nprovider = "clause"\n`
    expect(() => readConfig(`[[provider]]\nid = "claude"\n${of}`, 'f')).toThrow('did you mean "claude"?')
    expect(readConfig(of, 'f').config.signatures).toHaveLength(1)
  })

  it('states only the class if a stranger may have written it', async () => {
    const { file, cwd, env } = inFolder(whole)
    const found = loadConfig({ cwd, env })
    expect(found.isTrusted).toBe(false)
    const before = classify(TEXT, { signatures: found.signatures, now: 0 })
    expect(before).toMatchObject({ class: 'throttle', kind: 'rate_limit', effect: 'maybe' })
    expect(before?.retryAfterMs).toBeUndefined()
    found.trust()
    expect(classify(TEXT, { signatures: found.signatures })).toMatchObject({ kind: 'quota', effect: 'none' })
    const distrusted = await loadSignatures(file, () => false)
    expect(classify(TEXT, { signatures: distrusted })).toMatchObject({ kind: 'rate_limit', effect: 'maybe' })
  })
})
