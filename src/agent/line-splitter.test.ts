import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineSplitter } from './line-splitter.ts'

describe('lines of a stream', () => {
  it('are the same for any chunking', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1 })),
        fc.array(fc.nat(50)),
        (texts, cuts) => {
          const lines = texts.map(text => text.replaceAll('\n', ' '))
          const bytes = Buffer.from(lines.join('\n'))
          const seen: string[] = []
          const splitter = new LineSplitter(line => seen.push(line))
          let at = 0
          for (const cut of cuts) {
            splitter.push(bytes.subarray(at, at + cut))
            at += cut
          }
          splitter.push(bytes.subarray(at))
          splitter.end()
          expect(seen).toEqual(lines)
        },
      ),
    )
  })

  it('are dropped when they are too long, and those after them are not', () => {
    const seen: string[] = []
    let long = 0
    const splitter = new LineSplitter(
      line => seen.push(line),
      () => long++,
    )
    splitter.push(Buffer.from('first\n'))
    for (let i = 0; i < 20; i++) splitter.push(Buffer.alloc(1_000_000, 120))
    splitter.push(Buffer.from('\nlast'))
    splitter.end()
    expect(seen).toEqual(['first', 'last'])
    expect(long).toBe(1)
  })
})
