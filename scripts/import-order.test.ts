import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { cyclesIn, cyclesOf } from './cycles.ts'
import { faultsOf, findFaults } from './import-order.ts'
import { unreached } from './unreached.ts'

it.each(['src', 'lab'])('nothing in %s imports from a folder below its own', root => {
  expect(findFaults(fileURLToPath(new URL(`../${root}`, import.meta.url)))).toEqual([])
})

it.each(['src', 'lab', 'web/src'])('no files of %s import each other in a circle, not even types', root => {
  expect(cyclesIn(fileURLToPath(new URL(`../${root}`, import.meta.url)))).toEqual([])
})

it('keeps in src only what is published: kits that only tests use are in test/', () => {
  expect(unreached()).toEqual([])
})

it('finds a circle of types, but none of imports made later', () => {
  const circle = (last: string) =>
    new Map([
      ['a.ts', "import { b } from './b.ts'"],
      ['b.ts', last],
    ])
  expect(cyclesOf(circle("import type { A } from './a.ts'"))).toEqual([['a.ts', 'b.ts']])
  expect(cyclesOf(circle("export const later = () => import('./a.ts')"))).toEqual([])
})

it.each([
  ["import { x } from '../cli/main.ts'", 'failure must not import from cli'],
  ["import type { x } from '../config/load.ts'", 'failure must not import from config'],
  ["const x = await import('../cli/main.ts')", 'failure must not import from cli'],
  ["export * from '../cli/main.ts'", 'failure must not import from cli'],
  ["import { x } from '../../test/work.ts'", 'folder test is not in the list of folders'],
  ["import fs from 'node:fs'", 'failure is pure'],
  ["import { z } from 'zod'", 'failure is pure'],
])('finds %s', (source, problem) => {
  expect(faultsOf('failure/x.ts', source)[0]?.problem).toContain(problem)
})

it.each([
  ['cli/x.ts', "import { x } from '../failure/index.ts'"],
  ['failure/x.ts', "import type { x } from './index.ts'"],
  ['index.ts', "export * from './queue/index.ts'"],
  ['cli/x.ts', "const { x } = await import('../../lab/index.ts')"],
  ['../lab/fault/x.ts', "import { x } from '../index.ts'"],
  ['call/x.ts', "import { x } from '../index.ts'"],
])('keeps the entry points for users: in %s, %s', (file, source) => {
  expect(faultsOf(file, source)[0]?.problem).toContain('is an entry point for users')
})

it('knows the place of the lab', () => {
  const faults = faultsOf('../lab/fault/x.ts', "import { x } from '../../src/cli/main.ts'")
  expect(faults[0]?.problem).toContain('lab must not import from cli')
  expect(faultsOf('call/x.ts', "import { x } from '../../lab/start.ts'")[0]?.problem).toContain(
    'call must not',
  )
})

it.each([
  ['cli/x.ts', "import { y } from '../../lab/start.ts'"],
  ['../lab/fault/x.ts', "import { y } from '../../src/failure/classify.ts'"],
  ['failure/x.ts', "import { RE2JS } from 're2js'"],
  ['failure/x.ts', "import { y } from './text/y.ts'"],
  ['cli/x.ts', "import { y } from '../failure/classify.ts'"],
  ['cli/x.ts', "import fs from 'node:fs'"],
  ['index.ts', "export { x } from './failure/classify.ts'"],
  ['failure/x.ts', "import { y } from './catalogue/index.ts'"],
  ['index.ts', "export * from './core.ts'"],
])('allows in %s: %s', (file, source) => {
  expect(faultsOf(file, source)).toEqual([])
})

it.each([
  ['call/x.ts', "import { x } from '../plan/plan.ts'", 'must not import from plan/plan.ts'],
  ['call/x.ts', "import { z } from 'zod'", 'has no dependencies'],
  [
    'testing/core/x.ts',
    "import { x } from '../memory-ledger.ts'",
    'must not import from testing/memory-ledger.ts',
  ],
])('keeps core by itself: in %s, %s', (file, source, problem) => {
  expect(faultsOf(file, source)[0]?.problem).toContain(problem)
})
