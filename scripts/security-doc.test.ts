import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

/** The rows of docs/reference/threats.md that name a test: the promise, the file, and the title of the test. */
function promises(): { line: string; file: string; test: string }[] {
  const text = readFileSync(join(root, 'docs', 'reference', 'threats.md'), 'utf8')
  return text.split('\n').flatMap(row => {
    const [, line, file, test] = /^\| (.+?) \| `([^`]+\.test\.ts)`: (.+) \|$/.exec(row) ?? []
    return line && file && test ? [{ line, file, test }] : []
  })
}

describe('docs/reference/threats.md', () => {
  it('promises nothing without a test: every row of its tables of promises names one', () => {
    const text = readFileSync(join(root, 'docs', 'reference', 'threats.md'), 'utf8')
    const tables = text.split(/^## /m).filter(section => section.includes('| enforced by |'))
    const rows = tables.flatMap(section =>
      section.split('\n').filter(row => /^\| /.test(row) && !/^\| (?:it|they) cannot /.test(row)),
    )
    expect(tables.length).toBeGreaterThan(3)
    expect(rows).toHaveLength(promises().length)
  })

  it.each(promises())('$line: the test exists', ({ file, test }) => {
    expect(existsSync(join(root, file)), file).toBe(true)
    const source = readFileSync(join(root, file), 'utf8').replaceAll(/\\(.)/g, '$1')
    // The full title of a test, or of a case of one.
    const isThere = ["'", '"', '`'].some(quote => source.includes(`${quote}${test}${quote}`))
    expect(isThere, `${file} has no test named ${test}`).toBe(true)
  })
})
