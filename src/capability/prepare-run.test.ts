import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { deploy } from '../../test/capability/deploy.ts'
import { admitParams } from './check-params.ts'
import { defineCapability } from './define.ts'
import { commandCapability } from './kind/command-capability.ts'
import { prepareRun } from './prepare-run.ts'
import { CapabilityRegistry } from './registry.ts'
import { Secrets } from './secret/secrets.ts'

const folder = mkdtempSync(join(tmpdir(), 'mulligan-prepare-'))
afterAll(() => rmSync(folder, { recursive: true }))

const secrets = new Secrets({ folder })
const push = commandCapability({
  retry: 'none',
  name: 'push',
  argv: ['git', 'push', '{branch}'],
  env: { TOKEN: 'env:PUSH_TOKEN' },
  params: { branch: {} },
})
const fussy = defineCapability({
  retry: 'none',
  name: 'fussy',
  params: z.unknown().transform(() => {
    throw new Error('schema broke')
  }),
  run: () => 1,
})
const registry = new CapabilityRegistry([deploy, push, fussy])

function prepared(capability: string, params: unknown, env: Record<string, string> = {}) {
  return prepareRun({ capability, params }, { registry, secrets, env })
}

describe('preparing an operation', () => {
  it('parses its parameters by the schema, and opens its secrets', async () => {
    const admitted = await admitParams(
      deploy,
      { items: [{ id: 'a' }], when: new Date(0), token: 'hunter2hunter2' },
      secrets,
    )
    const { params } = admitted as { params: Record<string, unknown> }
    expect(params).toMatchObject({ when: '1970-01-01T00:00:00.000Z', token: { $secret: expect.any(String) } })
    const ready = await prepared('deploy', params)
    expect(ready).toMatchObject({
      ready: true,
      capability: deploy,
      params: { items: [{ id: 'a' }], when: new Date(0), token: 'hunter2hunter2' },
    })
    expect((ready as { mask: { text(text: string): string } }).mask.text('x hunter2hunter2')).toBe(
      'x ***REDACTED***',
    )
  })

  it('parks for a runner if its capability no longer exists', async () => {
    expect(await prepared('gone', {})).toEqual({
      ready: false,
      verdict: {
        action: 'park',
        for: 'runner',
        origin: 'runner',
        reason: 'no capability "gone" here',
        rule: 'capability:runner',
      },
    })
  })

  it.each<[string, unknown, string]>([
    ['deploy', { items: [{ id: 5 }] }, 'deploy": items[0].id: must be a string, not a number'],
    ['deploy', {}, 'deploy": items: is missing; it must be an array'],
    ['deploy', null, 'deploy": must be an object of names and values, not null'],
    ['push', { branch: 'main', force: true }, 'push": force: unknown parameter; known: branch'],
    ['push', { branch: '--force' }, 'push": branch: begins with "-"'],
    ['fussy', {}, 'fussy": the schema could not parse them: schema broke'],
  ])('%s parks for parameters that are no longer valid: %j', async (name, params, reason) => {
    const { verdict } = (await prepared(name, params, { PUSH_TOKEN: 't' })) as { verdict: { reason: string } }
    expect(verdict).toMatchObject({ action: 'park', for: 'parameters', rule: 'capability:parameters' })
    expect(verdict.reason).toContain(`the parameters are no longer valid for capability "${reason}`)
  })

  it('parks for a missing secret, and is ready once it is there', async () => {
    const missing = await prepared('push', { branch: 'main' })
    expect(missing).toMatchObject({
      verdict: {
        for: 'secret',
        reason: 'capability "push" needs PUSH_TOKEN in the environment of the runner',
      },
    })
    const ready = await prepared('push', { branch: 'main' }, { PUSH_TOKEN: 'abcdefgh' })
    expect((ready as { mask: { text(text: string): string } }).mask.text('abcdefgh')).toBe('***REDACTED***')
    const reference = { items: [], token: 'env:NOT_THERE' }
    expect(await prepared('deploy', reference)).toMatchObject({ verdict: { for: 'secret' } })
  })

  it('does not reveal a secret in the reason', async () => {
    const params = secrets.seal(deploy, { items: [], token: 'short' })
    const { verdict } = (await prepared('deploy', params)) as { verdict: { reason: string } }
    expect(verdict.reason).toContain('token: must have 8 characters or more')
    expect(verdict.reason).not.toContain('short')
  })
})
