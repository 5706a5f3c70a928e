import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

/** What npm runs by itself while it installs. Each of our tasks installs first, so one of these would never end. */
const RUN_BY_INSTALL = [
  'preinstall',
  'install',
  'postinstall',
  'prepare',
  'preprepare',
  'postprepare',
  'dependencies',
]

it('no task has the name of a script that npm runs while it installs', () => {
  expect(scripts).toHaveProperty('test')
  expect(Object.keys(scripts).filter(name => RUN_BY_INSTALL.includes(name))).toEqual([])
})
