import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { COMMAND_NAMES } from '../src/cli/commands.ts'
import { readConfig } from '../src/config/read.ts'

const folder = join(import.meta.dirname, '..', 'examples', 'docker')
const dockerfile = readFileSync(join(folder, 'Dockerfile'), 'utf8')
const { services } = parse(readFileSync(join(folder, 'compose.yaml'), 'utf8'))

/** Whether images can be built here. */
const hasBuilder = (() => {
  try {
    execFileSync('docker', ['info'], { stdio: 'ignore', timeout: 10_000 })
    return true
  } catch {
    return false
  }
})()

it('sets variables of containers that the config knows', () => {
  const env = { ...services.mulligan.environment, MULLIGAN_QUEUE_DATA: '/data' }
  expect(dockerfile).toContain('MULLIGAN_QUEUE_DATA=/data')
  const { config } = readConfig('', 'mulligan.toml', { env })
  expect(config.queue).toMatchObject({ data: '/data', database: 'postgres://mulligan@postgres/mulligan' })
})

it('starts commands that exist, as a user without rights', () => {
  const words = [...dockerfile.matchAll(/^(?:CMD|HEALTHCHECK .* CMD) (\[.*\])$/gm)].map(
    ([, list]) => (JSON.parse(list as string) as string[]).filter(word => !word.includes('/'))[0],
  )
  expect(words).toEqual(['status', 'serve'])
  expect(COMMAND_NAMES).toEqual(expect.arrayContaining(words as string[]))
  expect(dockerfile).toMatch(/^USER node$/m)
  expect(services.mulligan).toMatchObject({ cap_drop: ['ALL'], read_only: true })
})

it.runIf(hasBuilder)('builds an image that runs (skipped where no Docker daemon answers)', async () => {
  const context = mkdtempSync(join(tmpdir(), 'mulligan-image-'))
  cpSync(folder, context, { recursive: true })
  writeFileSync(join(context, 'package.json'), '{"name": "app", "version": "1.0.0"}')
  writeFileSync(join(context, 'package-lock.json'), '{"lockfileVersion": 3, "packages": {}}')
  writeFileSync(join(context, 'mulligan.toml'), '')
  const { stdout } = await promisify(execFile)('docker', ['build', '--quiet', context])
  expect(stdout).toContain('sha256:')
})
