import { expect, it } from 'vitest'
import { z } from 'zod'
import { defineCapability } from './define.ts'
import { routedProviders } from './providers.ts'

const capability = defineCapability({
  name: 'ask',
  pool: 'p',
  model: 'm',
  retry: 'replay',
  params: z.any(),
  run: () => null,
})
const pools = new Map([['p', ['a', 'b', 'c']]])
const prices = {
  'a/m': { input: 3, output: 3 },
  'b/m': { input: 1, output: 1 },
  'b/large': { input: 9, output: 9 },
}
const deps = (routing: object | string, random = () => 0.5) => ({
  pools,
  routings: new Map([['p', routing as never]]),
  prices,
  random,
})

it('asks the cheapest provider first, by the model that it is asked for there', () => {
  expect(routedProviders(deps({ routing: 'cheapest' }), capability, undefined)).toEqual(['b', 'a', 'c'])
  const large = { routing: 'cheapest', models: { b: 'large' } }
  expect(routedProviders(deps(large), capability, undefined)).toEqual(['a', 'b', 'c'])
})

it('keeps a session where it was', () => {
  const drawn = deps({ routing: { a: 1, b: 1, c: 1 } }, Math.random)
  const first = routedProviders(drawn, capability, 'talk')
  for (let n = 0; n < 20; n++) expect(routedProviders(drawn, capability, 'talk')).toEqual(first)
})

it('draws by weight, and asks those without one last', () => {
  expect(routedProviders(deps({ routing: { c: 1 } }), capability, undefined)).toEqual(['c', 'a', 'b'])
})

it('keeps the order of a pool without routing', () => {
  expect(routedProviders(deps({}), capability, undefined)).toEqual(['a', 'b', 'c'])
})
