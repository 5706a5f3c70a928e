import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codePoint } from '../../test/code-point.ts'
import { shellWord } from './shell-word.ts'

describe('a word for a shell', () => {
  it('is plain if possible, and quoted if a shell would interpret it', () => {
    expect(shellWord('/srv/my-app/x.toml')).toBe('/srv/my-app/x.toml')
    expect(shellWord('')).toBe("''")
    expect(shellWord("it's; rm -rf $HOME")).toBe(String.raw`'it'\''s; rm -rf $HOME'`)
  })

  it('contains nothing that a terminal obeys', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), text => {
        expect(shellWord(text)).not.toMatch(/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/u)
      }),
    )
  })

  it('is read back unchanged by a shell', () => {
    const values = [
      'a b',
      '$(id)',
      '`id`',
      "'",
      '"',
      '\\',
      '\u001b[31m\u202e"',
      '*',
      '~',
      '!x',
      'a\nb',
      '--x',
    ]
    const script = `printf '%s\\0' ${values.map(shellWord).join(' ')}`
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(
      values,
    )
  })
})
