import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Capability } from '../capability/capability.ts'
import { defineCapability } from '../capability/define.ts'
import { CapabilityRegistry } from '../capability/registry.ts'
import { Secrets } from '../capability/secret/secrets.ts'
import { ConfigError } from '../config/error.ts'
import { readConfig } from '../config/read.ts'
import { schedulesOf } from './cron-from-config.ts'

const report = defineCapability({
  name: 'report',
  params: z.object({ day: z.string(), token: z.string().optional() }),
  secrets: ['token'],
  retry: 'replay',
  run: () => null,
}) as Capability

const folder = mkdtempSync(join(tmpdir(), 'mulligan-cron-'))
const secrets = new Secrets({ folder, env: {} })

/** The schedules of a config whose capabilities come from a module. */
const schedules = (keys: string) =>
  schedulesOf(
    readConfig(
      `[queue]\nmodules = ["./work.ts"]\n[[schedule]]\nname = "nightly"\ncron = "@daily"\n${keys}`,
      'm.toml',
    ),
    new CapabilityRegistry([report]),
    secrets,
  )
const problems = async (keys: string) => {
  const error = await schedules(keys).catch((thrown: unknown) => thrown)
  if (!(error instanceof ConfigError)) throw new Error('no ConfigError')
  return error.message
}

describe('the schedules of a config', () => {
  it('come from the file', async () => {
    expect(
      await schedules('capability = "report"\nparams = { day = "monday", token = "env:T" }\n'),
    ).toMatchObject([{ name: 'nightly', capability: 'report', params: { day: 'monday', token: 'env:T' } }])
  })

  it('must name a capability, which a module may define', async () => {
    expect(await problems('capability = "reprot"\n')).toBe(
      'm.toml:6:1: schedule "nightly": there is no capability "reprot"; did you mean "report"?',
    )
  })

  it('must have valid parameters', async () => {
    expect(await problems('capability = "report"\nparams = { day = 1 }\n')).toMatch(
      /^m\.toml:7:12: schedule "nightly": the parameters are invalid for capability "report": day: /,
    )
    expect(await problems('capability = "report"\n')).toMatch(/^m\.toml:6:1: .*day: /)
  })

  it('contain no secrets', async () => {
    const told = await problems('capability = "report"\nparams = { day = "x", token = "hunter2" }\n')
    expect(told).toContain('m.toml:7:23: schedule "nightly": params.token is secret: it must be "env:NAME"')
    expect(told).not.toContain('hunter2')
  })
})
