import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { childEnvironment } from './environment.ts'
import { run } from './run.ts'

const print = [process.execPath, '-e', 'console.log(JSON.stringify(process.env))'] as const

afterEach(() => {
  delete process.env.MULLIGAN_SECRET_KEY
})

describe('the environment of a child process', () => {
  it("never contains Mulligan's own key, given or inherited", async () => {
    process.env.MULLIGAN_SECRET_KEY = 'opens everything'
    const inherited = await run({ argv: print })
    expect(JSON.parse(inherited.stdout)).toMatchObject({ PATH: process.env.PATH })
    const given = await run({ argv: print, env: { ...process.env, A: '1', MULLIGAN_SECRET_KEY: 'x' } })
    expect(JSON.parse(given.stdout)).toMatchObject({ A: '1' })
    for (const { stdout } of [inherited, given]) expect(stdout).not.toContain('MULLIGAN_SECRET_KEY')
    expect(childEnvironment({ A: '1', MULLIGAN_SECRET_KEY: 'x' })).toEqual({ A: '1' })
  })

  it('is made in one place: nothing else in the sources starts processes', () => {
    const root = join(import.meta.dirname, '..')
    const starting = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      file =>
        file.endsWith('.ts') &&
        !/(?:^|\/)test-|\.test\.ts$/.test(file) &&
        /from '(?:node:)?child_process'|from 'node:cluster'/.test(readFileSync(join(root, file), 'utf8')),
    )
    expect(starting.sort()).toEqual(['process/guard.ts', 'process/leave-running.ts', 'process/run.ts'])
    for (const file of starting) {
      const text = readFileSync(join(root, file), 'utf8')
      expect(text.match(/\bspawn\(/g)?.length).toBe(text.match(/\bchildEnvironment\(/g)?.length)
    }
  })
})
