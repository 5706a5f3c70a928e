import { describe, expect, it } from 'vitest'
import { cell } from './csv.ts'

describe('a cell of CSV', () => {
  it.each([
    ['=cmd|calc', "'=cmd|calc"],
    ['+1', "'+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['-2+3', "'-2+3"],
    ['\t=1', `"'\t'=1"`],
    [' =1', "' =1"],
    ['＝1', "'＝1"],
    // Where lists are separated by semicolons, the next cell begins here.
    ['fine;=cmd|calc', `"fine;'=cmd|calc"`],
    ['fine\n=cmd|calc', `"fine\n'=cmd|calc"`],
    ['say "a", b', '"say ""a"", b"'],
    ['a-b = c; d', '"a-b = c; d"'],
    [-2, '-2'],
    [undefined, ''],
  ])('of %j is no formula', (value, written) => {
    expect(cell(value)).toBe(written)
  })
})
