import { expect, it } from 'vitest'
import { lineDiff } from './line-diff.ts'

it('shows what was removed before what replaces it, with a few lines around', () => {
  expect(lineDiff('1\n2\n3\nold\n4\ngone\n5\n6\n7\n', '1\n2\n3\nnew\nmore\n4\n5\n6\n7\n')).toBe(
    ['  2', '  3', '- old', '+ new', '+ more', '  4', '- gone', '  5', '  6'].join('\n'),
  )
})

it('shows all lines of a new file as added', () => {
  expect(lineDiff('', 'a\nb\n')).toBe('+ a\n+ b')
})
