import { expect, it } from 'vitest'
import { withLatePatterns } from './late-patterns.ts'

const made = (body: string) => withLatePatterns(body, 'words.ts')

async function run(body: string, ...values: unknown[]): Promise<unknown> {
  const source = `data:text/javascript,${encodeURIComponent(made(body))}`
  const { f } = (await import(/* @vite-ignore */ source)) as { f: (...values: unknown[]) => unknown }
  return f(...values)
}

it('makes a pattern once, where it is used', async () => {
  const code = String.raw`
    const WORD = /\p{L}+/gu
    const names = { WORD: 1 }
    export function f(text) {
      const pattern = { of: WORD }
      return [text.match(WORD).length, text.split(/[^\p{L}]+/u).length, pattern.of === WORD, names.WORD]
    }`
  expect(made(code)).not.toMatch(/\/\\p|\]\+\/u/)
  expect(await run(code, 'drei Wörter hier')).toEqual([3, 3, true, 1])
})

it('keeps backslashes, quotes and slashes of a pattern', async () => {
  expect(await run(String.raw`export const f = text => /^\p{L}["'/\\]\/$/u.test(text)`, 'é\\/')).toBe(true)
})

it('leaves other patterns as they are', () => {
  expect(made('export const A = /[a-z]+/g')).toBe('export const A = /[a-z]+/g')
})

it('refuses a pattern that would keep its place between uses', () => {
  expect(() => made(String.raw`export const f = text => /\p{L}/gu.test(text)`)).toThrow('it keeps its place')
})

it('refuses a constant whose name is declared twice or exported', () => {
  expect(() => made(String.raw`const A = /\p{L}/u; function f(A) { return A }`)).toThrow('A is also declared')
  expect(() => made(String.raw`const A = /\p{L}/u; export { A }`)).toThrow('A is also declared')
})
