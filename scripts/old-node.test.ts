import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { BUILT_PACKAGE } from '../test/cli/command.ts'
import { entryPoints } from './entry-points.ts'

/** One program for all entry points: it prints what each import answers. */
const program = (version: string) => `
Object.defineProperty(process.versions, 'node', { value: '${version}' });
for (const name of process.argv.slice(1))
  console.log(name, await import(name).then(() => 'loaded', error => error.message))`

describe('on a Node that is too old', () => {
  it.each(['20.20.2', '22.19.0', '23.11.0', '24.6.0'])(
    'such as %s, every entry point refuses to load, in one sentence that says what is needed',
    async version => {
      const names = entryPoints().map(({ specifier }) => specifier)
      // The package imports itself by its name.
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--input-type=module', '-e', program(version), ...names],
        {
          cwd: join(BUILT_PACKAGE),
        },
      )
      const lines = stdout.trim().split('\n')
      expect(lines).toEqual(
        names.map(name => `${name} Mulligan needs Node 22.20, 24.7 or newer, and this is Node ${version}`),
      )
      expect(lines.length).toBeGreaterThan(20)
    },
  )
})
