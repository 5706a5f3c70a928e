import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commandCapability } from './command-capability.ts'

const params = {
  a: { required: false },
  b: { required: false },
  n: { type: 'integer', required: false },
} as const
const problems = (argv: string[], given: Record<string, unknown>) =>
  commandCapability({ name: 'x', argv, params, retry: 'none' }).problems(given)

describe('an argument that begins with a parameter', () => {
  it.each<[string[], Record<string, unknown>]>([
    [['x', '{a}'], { a: '--force' }],
    [['x', '{b}{a}'], { a: '--force', b: '' }],
    [['x', '{b}{a}'], { a: 'x', b: '-' }],
    [['x', '{a}/file'], { a: '-rf' }],
    [['x', '{n}'], { n: -1 }],
    [['x', '{a}', '--'], { a: '-x' }],
  ])('cannot become an option: %j with %j', (argv, given) => {
    expect(problems(argv, given)).toEqual([expect.stringContaining('would be read as an option')])
  })

  it.each<[string[], Record<string, unknown>]>([
    [['x', '--', '{a}'], { a: '--force' }],
    [['x', '--tag={a}'], { a: '--force' }],
    [['x', '{b}{a}'], { a: '-x', b: 'y' }],
    [['x', '{b}{a}'], { a: '-x' }],
  ])('may contain anything if it cannot become one: %j with %j', (argv, given) => {
    expect(problems(argv, given)).toEqual([])
  })

  it('never reaches a program as an option, for any value', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 6 }), fc.string({ maxLength: 6 }), (a, b) => {
        if (problems(['x', '{b}{a}'], { a, b }).length === 0) expect(`${b}${a}`).not.toMatch(/^-/)
      }),
    )
  })
})
