import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const map = read('docs/map.md')

const rows = read('docs/words.md')
  .split('\n')
  .filter(line => line.startsWith('| ') && !line.startsWith('| word '))
const steps = map.slice(map.indexOf('## The path of a failure')).split('\n')
const paths = [...`${rows.join('\n')}\n${steps.join('\n')}`.matchAll(/`((?:[\w-]+\/)+(?:[\w.-]+\.ts)?)`/g)]

describe('what newcomers read', () => {
  it('is one page, and the rest behind it', () => {
    const page = read('CONTRIBUTING.md')
    expect(page.split(/\s+/).length).toBeLessThan(700)
    const links = [...page.matchAll(/\]\(([\w./-]+)\)/g)].map(([, link]) => link as string)
    expect(links).toContain('docs/map.md')
    expect(links.filter(link => !existsSync(join(root, link)))).toEqual([])
  })

  it('names every folder of src', () => {
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter(entry =>
      entry.isDirectory(),
    )
    expect(folders.map(({ name }) => name).filter(name => !map.includes(`\`src/${name}/\``))).toEqual([])
  })

  it.each([...new Set(paths.map(([, path]) => path as string))])('points to what exists: %s', path => {
    expect(existsSync(join(root, 'src', path)) || existsSync(join(root, path))).toBe(true)
  })

  it('lists each word once, with its meaning and its place', () => {
    const words = rows.flatMap(row => (row.split(' | ')[0] as string).slice(2).split(', '))
    expect(words.length).toBeGreaterThan(40)
    expect(words.filter((word, index) => words.indexOf(word) < index)).toEqual([])
    for (const row of rows) expect(row.split(' | '), row).toHaveLength(3)
    // More than a newcomer reads. Words of one folder are explained there.
    expect(rows.length).toBeLessThanOrEqual(80)
  })

  it('gives each step of the path of a failure one line', () => {
    const listed = steps.filter(line => /^\d+\. /.test(line))
    expect(listed.length).toBeGreaterThan(10)
    // Every line after the first step is a step; none continues the previous line.
    expect(steps.slice(steps.indexOf(listed[0] as string)).filter(line => line !== '')).toEqual(listed)
    for (const line of listed) expect(line.length, line).toBeLessThanOrEqual(140)
  })
})
