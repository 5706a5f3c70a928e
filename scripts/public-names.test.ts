import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { entryPoints } from './entry-points.ts'
import { firstSentence, publicNamesOf } from './public-names.ts'

/** Lower it when names go. What users must write in their own code stays. */
const MOST_NAMES = 240

describe('the public surface', () => {
  it.each(entryPoints().map(entry => [entry.specifier, entry]))(
    '%s says what each of its names means',
    (_specifier, entry) => {
      const names = publicNamesOf(entry)
      expect(names.length).toBeGreaterThan(0)
      expect(names.filter(({ meaning }) => meaning === '').map(({ name }) => name)).toEqual([])
    },
  )

  it('is small at the root', () => {
    const [root] = entryPoints()
    expect(root?.specifier).toBe('mulligan')
    expect(root && publicNamesOf(root).length).toBeLessThanOrEqual(36)
  })

  it('grows only on purpose: a name that no guide needs stays inside', () => {
    const names = new Set(entryPoints().flatMap(entry => publicNamesOf(entry).map(({ name }) => name)))
    expect(names.size).toBeLessThanOrEqual(MOST_NAMES)
  })

  it('gives each name one meaning, even in two entry points', () => {
    const meanings = new Map<string, Set<string>>()
    for (const entry of entryPoints())
      for (const { name, meaning } of publicNamesOf(entry))
        meanings.set(name, (meanings.get(name) ?? new Set()).add(meaning))
    const several = [...meanings].filter(([, texts]) => texts.size > 1).map(([name]) => name)
    expect(several).toEqual([])
  })
})

describe('the reading of an entry point', () => {
  const entryWith = (index: string, file = '') => {
    const folder = mkdtempSync(join(tmpdir(), 'mulligan-names-'))
    writeFileSync(join(folder, 'index.ts'), index)
    writeFileSync(join(folder, 'file.ts'), file)
    return { specifier: 'mulligan/x', file: join(folder, 'index.ts') }
  }

  it('gives the kind and the first sentence of each name', () => {
    const entry = entryWith(
      "export { type A, b, c as d, E } from './file.ts'",
      `/** An a. And more. */
export interface A {}
/** Does b,
 * over two lines. */
export function b() {}
/** A number | two. */
export const c = 1
// not a doc comment
export class E {}`,
    )
    expect(publicNamesOf(entry)).toEqual([
      { name: 'A', kind: 'type', meaning: 'An a.' },
      { name: 'b', kind: 'function', meaning: 'Does b, over two lines.' },
      { name: 'd', kind: 'constant', meaning: 'A number | two.' },
      { name: 'E', kind: 'class', meaning: '' },
    ])
  })

  it('does not take the comment of another name', () => {
    const entry = entryWith(
      "export type { B } from './file.ts'",
      '/** An a. */\nexport type A = 1\nexport type B = 2',
    )
    expect(publicNamesOf(entry)).toEqual([{ name: 'B', kind: 'type', meaning: '' }])
  })

  it('refuses exports that it cannot read', () => {
    expect(() => publicNamesOf(entryWith("export * from './file.ts'"))).toThrow('mulligan/x may contain only')
    expect(() => publicNamesOf(entryWith("export { a } from './file.ts'"))).toThrow('exports no a')
  })

  it.each([
    ['* Ends here. Not there. ', 'Ends here.'],
    ['* Lasts 1.5 s, e.g. now. ', 'Lasts 1.5 s, e.g. now.'],
    ['*\n * Refers to {@link X}.\n * @param a more\n ', 'Refers to `X`.'],
    ['* no full stop\n * @param a more', 'no full stop'],
  ])('of %j is %j', (comment, sentence) => {
    expect(firstSentence(comment)).toBe(sentence)
  })
})
