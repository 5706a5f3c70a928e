import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import { run } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'mulligan-'))
const failureOf = (argv: [string, ...string[]], cwd: string) =>
  run({ argv, cwd }).then(
    () => undefined,
    (error: unknown) => classify(error),
  )

describe('a program that cannot start', () => {
  it('is not blamed for a missing working folder', async () => {
    const cwd = join(folder, 'missing')
    expect(await failureOf(['true'], cwd)).toMatchObject({
      kind: 'config',
      effect: 'none',
      message: `cannot run true in ${cwd}: no such folder`,
    })
  })

  it('is not blamed for a file in place of its working folder', async () => {
    const cwd = join(folder, 'file')
    writeFileSync(cwd, '')
    expect(await failureOf(['true'], cwd)).toMatchObject({ kind: 'config', effect: 'none' })
  })

  it('is blamed if it is missing and the folder exists', async () => {
    expect(await failureOf(['no-such-program-here'], folder)).toMatchObject({ kind: 'binary_not_found' })
  })
})
