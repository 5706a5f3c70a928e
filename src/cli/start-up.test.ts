import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { BUILT_PACKAGE, BUILT_PACKAGE_COMMAND } from '../../test/cli/command.ts'

const folder = mkdtempSync(join(tmpdir(), 'mulligan-'))
const recorder = join(folder, 'recorder.mjs')
writeFileSync(
  recorder,
  `import { registerHooks } from 'node:module'
const urls = []
registerHooks({ resolve: (name, context, next) => { const found = next(name, context); urls.push(found.url); return found } })
process.on('exit', () => process.stderr.write(JSON.stringify(urls)))`,
)
writeFileSync(join(folder, 'failure.txt'), 'ECONNRESET')

/** Packages that a command loads, and the matcher for patterns, which is a part of core. */
async function packagesOf(argv: string[]): Promise<string[]> {
  const args = ['--import', recorder, BUILT_PACKAGE_COMMAND, ...argv]
  const { stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder, env: { HOME: folder } })
  const names = (JSON.parse(stderr) as string[]).flatMap(url => {
    if (url.includes('/@mulligan/core/')) return url.includes('/matcher') ? ['matcher'] : []
    return /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []
  })
  return [...new Set(names)].sort()
}

describe('the start of a command', () => {
  it('loads no package to classify a failure without a config', async () => {
    expect(await packagesOf(['classify', 'failure.txt'])).toEqual([])
  })

  it('loads the matcher for patterns if there is a config', async () => {
    expect(await packagesOf(['config', 'check'])).toEqual(['matcher'])
  })
})

it("importing core does not load Node's HTTP client", async () => {
  const core = join(BUILT_PACKAGE, 'node_modules', '@mulligan', 'core', 'dist', 'core.js')
  const program = `await import(${JSON.stringify(core)}); console.log(process.moduleLoadList.filter(name => name.includes('undici')).length)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  expect(stdout).toBe('0\n')
})
