import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { BUILT_PACKAGE } from '../test/cli/command.ts'
import { entryPoints } from './entry-points.ts'

const OLD = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });"
/** One program for all entry points: it prints what each import answers. */
const PROGRAM = `${OLD}
for (const name of process.argv.slice(1))
  console.log(name, await import(name).then(() => 'loaded', error => error.message))`

describe('on a Node that is too old', () => {
  it('every entry point refuses to load, in one sentence that says what is needed', async () => {
    const names = entryPoints().map(({ specifier }) => specifier)
    // The package imports itself by its name.
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', PROGRAM, ...names],
      {
        cwd: join(BUILT_PACKAGE),
      },
    )
    const lines = stdout.trim().split('\n')
    expect(lines).toEqual(
      names.map(name => `${name} Mulligan needs Node 22.18 or newer, and this is Node 20.20.2`),
    )
    expect(lines.length).toBeGreaterThan(20)
  })
})
