import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Dependency, dependenciesOf, totalOf } from './dependencies.ts'

const all = dependenciesOf(join(import.meta.dirname, '..'))
const names = (some: readonly Dependency[]): string[] =>
  some.flatMap(({ name, brings }) => [name, ...names(brings)])

it('names what mulligan brings, each once', () => {
  expect(names(all)).toEqual(expect.arrayContaining(['zod', 'pg', 'pg-protocol']))
  expect(new Set(names(all)).size).toBe(names(all).length)
})

it('counts what a dependency brings as its own', () => {
  const pg = all.find(({ name }) => name === 'pg') as Dependency
  expect(totalOf(pg)).toBeGreaterThan(pg.bytes)
})
