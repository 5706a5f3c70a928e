import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitCommandLine } from './command-line.ts'

describe('the words of a command line', () => {
  it.each<[string, string[]]>([
    ['claude -p', ['claude', '-p']],
    ['  a   b\t c ', ['a', 'b', 'c']],
    [`a 'b c' "d e"`, ['a', 'b c', 'd e']],
    [`--x="a b"'c d'`, ['--x=a bc d']],
    [`a '' ""`, ['a', '', '']],
    ['a\\ b \\"', ['a b', '"']],
    [`"say \\"hi\\" \\n" '\\n'`, ['say "hi" \\n', '\\n']],
    ['echo $HOME | rm; `x` > y', ['echo', '$HOME', '|', 'rm;', '`x`', '>', 'y']],
    ['', []],
  ])('%s', (line, words) => {
    expect(splitCommandLine(line)).toEqual(words)
  })

  it.each([`a 'b`, 'a "b', 'a\\'])('are refused if a quote is not closed: %s', line => {
    expect(() => splitCommandLine(line)).toThrow(/not closed|backslash/)
  })

  it('come back unchanged, with any content, when each is quoted', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), words => {
        const line = words.map(word => `'${word.replaceAll("'", `'"'"'`)}'`).join(' ')
        expect(splitCommandLine(line)).toEqual(words)
      }),
    )
  })
})
