import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { documents, filled, madeFiles, SECTIONS } from './generated.ts'

const made = await madeFiles()

describe('generated documentation', () => {
  it.each(documents().map(({ file, text }) => [file, text]))(
    'is up to date in %s (else: npm run docs)',
    (_file, text) => {
      expect(filled(text)).toBe(text)
    },
  )

  it.each(made.map(({ file, text }) => [file, text]))(
    'is up to date as %s (else: npm run docs)',
    (file, text) => {
      expect(readFileSync(file, 'utf8')).toBe(text)
    },
  )

  it('is all used', () => {
    const all = documents()
      .map(({ text }) => text)
      .join('\n')
    for (const name of Object.keys(SECTIONS)) expect(all).toContain(`<!-- generated: ${name} -->`)
  })

  it('is refused without a generator', () => {
    expect(() => filled('<!-- generated: nonsense -->\n<!-- end of nonsense -->')).toThrow('"nonsense"')
  })
})
