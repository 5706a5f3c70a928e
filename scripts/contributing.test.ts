import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const sections = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split(/^## /m)
const section = (title: string) => sections.find(text => text.startsWith(`${title}\n`)) ?? ''

const rows = section('Words')
  .split('\n')
  .filter(line => line.startsWith('| ') && !line.startsWith('| word '))
const steps = section('The path of a failure').split('\n')
const paths = [...`${rows.join('\n')}\n${steps.join('\n')}`.matchAll(/`((?:[\w-]+\/)+(?:[\w.-]+\.ts)?)`/g)]

describe('CONTRIBUTING.md', () => {
  it.each([...new Set(paths.map(([, path]) => path as string))])('points to what exists: %s', path => {
    expect(existsSync(join(root, 'src', path)) || existsSync(join(root, path))).toBe(true)
  })

  it('lists each word once, with its meaning and its place', () => {
    const words = rows.flatMap(row => (row.split(' | ')[0] as string).slice(2).split(', '))
    expect(words.length).toBeGreaterThan(40)
    expect(words.filter((word, index) => words.indexOf(word) < index)).toEqual([])
    for (const row of rows) expect(row.split(' | '), row).toHaveLength(3)
    // More than a newcomer reads. Words of one folder are explained there.
    expect(rows.length).toBeLessThanOrEqual(90)
  })

  it('gives each step of the path of a failure one line', () => {
    const listed = steps.filter(line => /^\d+\. /.test(line))
    expect(listed.length).toBeGreaterThan(10)
    // Every line after the first step is a step; none continues the previous line.
    expect(steps.slice(steps.indexOf(listed[0] as string)).filter(line => line !== '')).toEqual(listed)
    for (const line of listed) expect(line.length, line).toBeLessThanOrEqual(140)
  })
})
