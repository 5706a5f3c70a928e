import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checkParams } from './check-params.ts'

const params = z.strictObject({
  name: z.string(),
  count: z.int().optional(),
  share: z.number().max(1).optional(),
  loud: z.boolean().optional(),
  own: z.string('say whose it is').optional(),
  more: z.array(z.strictObject({ id: z.string() })).optional(),
})

describe('what is wrong with parameters', () => {
  it.each<[unknown, string[]]>([
    [{}, ['name: is missing; it must be a string']],
    [{ nmae: 'x' }, ['name: is missing; it must be a string', 'nmae: unknown parameter; did you mean name?']],
    [{ name: 'x', other: 1 }, ['other: unknown parameter; known: name, count, share, loud, own, more']],
    [{ name: 5 }, ['name: must be a string, not a number']],
    [{ name: 'x', count: 1.5 }, ['count: must be a whole number']],
    [{ name: 'x', count: 'three' }, ['count: must be a number, not a string']],
    [{ name: 'x', loud: 'yes' }, ['loud: must be true or false, not a string']],
    [{ name: 'x', share: 2 }, ['share: Too big: expected number to be <=1']],
    [{ name: 'x', own: 1 }, ['own: say whose it is']],
    [
      { name: 'x', more: [{ id: 'a', x: 1 }, {}] },
      ['more[0].x: unknown parameter', 'more[1].id: is missing; it must be a string'],
    ],
    [[], ['must be an object of names and values, not an array']],
  ])('of %j', async (given, problems) => {
    const checked = await checkParams({ params, problems: () => [] }, given)
    expect(checked.fits ? [] : [...checked.problems].sort()).toEqual([...problems].sort())
  })
})
