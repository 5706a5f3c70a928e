import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PARTS } from './mutation-parts.ts'

const root = join(import.meta.dirname, '..')

/** Each pattern with one choice of every `{a,b}`: a name that is gone must not hide behind the others. */
function choicesOf(pattern: string): string[] {
  const [braces, names] = /\{([^{}]*)\}/.exec(pattern) ?? []
  if (braces === undefined || names === undefined) return [pattern]
  return names.split(',').flatMap(name => choicesOf(pattern.replace(braces, name)))
}

describe.each(Object.values(PARTS))('the part $name of the mutation run', ({ mutate, tests }) => {
  it.each([...mutate, ...tests].flatMap(choicesOf))('names what exists: %s', pattern => {
    expect(globSync(pattern.replace(/^!/, ''), { cwd: root })).not.toEqual([])
  })
})
