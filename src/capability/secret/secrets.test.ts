import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Envelope } from './envelope.ts'
import { hideSecrets } from './hide-secrets.ts'
import { Secrets } from './secrets.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mulligan-secrets-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const deploy = { name: 'deploy', secrets: ['token', 'login'] }
const given = { id: 5, token: 'hunter2', login: { user: 'u', password: 'p4ss' } }

describe('secret parameters', () => {
  it('are sealed for the ledger and open for a run', () => {
    const secrets = new Secrets({ folder })
    const stored = secrets.seal(deploy, given) as Record<string, Envelope>
    expect(stored).toEqual({
      id: 5,
      token: { $secret: expect.any(String) },
      login: { $secret: expect.any(String) },
    })
    expect(JSON.stringify(stored)).not.toMatch(/hunter2|p4ss/)
    expect(secrets.open(deploy, stored, {})).toEqual({ params: given, secrets: ['hunter2', given.login] })
    // The same operation submitted again is stored identically, even by another process.
    expect(new Secrets({ folder }).seal(deploy, given)).toEqual(stored)
  })

  it('stay unchanged when stored parameters are edited', () => {
    const secrets = new Secrets({ folder })
    const stored = secrets.seal(deploy, given) as object
    const edited = secrets.seal(deploy, { ...stored, id: 6, login: undefined })
    expect(edited).toEqual({ ...stored, id: 6, login: undefined })
  })

  it('may refer to a variable, which is resolved only for a run', () => {
    const secrets = new Secrets({ folder })
    const params = { id: 'env:HOME', token: 'env:DEPLOY_TOKEN' }
    expect(secrets.seal(deploy, params)).toEqual(params)
    expect(secrets.open(deploy, params, { DEPLOY_TOKEN: 'hunter2', HOME: '/root' })).toEqual({
      params: { id: 'env:HOME', token: 'hunter2' },
      secrets: ['hunter2'],
    })
    for (const env of [{}, { DEPLOY_TOKEN: '' }])
      expect(secrets.open(deploy, params, env)).toEqual({
        missing: 'secret',
        reason: '"token" refers to the variable DEPLOY_TOKEN, which is not set in the runner\'s environment',
      })
  })

  it('may not refer to the key itself, nor to what the operator forbids', () => {
    const secrets = new Secrets({ folder, mayRefer: name => name.startsWith('DEPLOY_') })
    const env = { MULLIGAN_SECRET_KEY: 'k', OTHER: 'x', DEPLOY_X: 'y' }
    for (const name of ['MULLIGAN_SECRET_KEY', 'OTHER'])
      expect(secrets.open(deploy, { token: `env:${name}` }, env)).toEqual({
        missing: 'parameters',
        reason: `"token" refers to the variable ${name}, which is not allowed`,
      })
    expect(secrets.open(deploy, { token: 'env:DEPLOY_X' }, env)).toMatchObject({ params: { token: 'y' } })
  })

  it('wait for their key when it is missing', () => {
    const stored = new Secrets({ folder }).seal(deploy, { token: 'hunter2' })
    rmSync(join(folder, 'secret.key'))
    const opened = new Secrets({ folder }).open(deploy, stored, {})
    expect(opened).toEqual({
      missing: 'secret',
      reason: expect.stringMatching(
        /^the key [0-9a-f]{12} that opens "token" is missing; there is no key here$/,
      ),
    })
    const another = new Secrets({ folder })
    const id = another.keys.current().id
    expect(another.open(deploy, stored, {})).toEqual({
      missing: 'secret',
      reason: expect.stringContaining(`keys here: ${id}`),
    })
  })

  it('open after a rotation, and wait while the key file is open to others', () => {
    const secrets = new Secrets({ folder })
    const stored = secrets.seal(deploy, { token: 'hunter2' })
    secrets.keys.rotate()
    expect(secrets.open(deploy, stored, {})).toMatchObject({ params: { token: 'hunter2' } })
    expect(secrets.seal(deploy, { token: 'hunter2' })).not.toEqual(stored)
    chmodSync(join(folder, 'secret.key'), 0o644)
    expect(secrets.open(deploy, stored, {})).toEqual({
      missing: 'secret',
      reason: expect.stringContaining('chmod 600'),
    })
  })

  it('must be given again when they were changed, or moved from elsewhere', () => {
    const secrets = new Secrets({ folder })
    const { token } = secrets.seal(deploy, { token: 'hunter2' }) as { token: Envelope }
    const wanted = {
      missing: 'parameters',
      reason: expect.stringContaining('was changed or belongs to another operation'),
    }
    expect(secrets.open(deploy, { token: { $secret: `${token.$secret.slice(0, -3)}AAA` } }, {})).toEqual(
      wanted,
    )
    expect(secrets.open(deploy, { token: { $secret: 'v9:x' } }, {})).toEqual(wanted)
    expect(secrets.open(deploy, { id: token }, {})).toEqual(wanted)
    expect(secrets.open({ name: 'print', secrets: ['token'] }, { token }, {})).toEqual(wanted)
  })

  it('open even if the capability no longer calls them secret, and still count as secrets', () => {
    const secrets = new Secrets({ folder })
    const stored = secrets.seal(deploy, { token: 'hunter2' })
    const opened = secrets.open({ name: 'deploy', secrets: [] }, stored, {})
    expect(opened).toEqual({ params: { token: 'hunter2' }, secrets: ['hunter2'] })
  })

  it('are hidden wherever they are shown', () => {
    const secrets = new Secrets({ folder })
    const stored = secrets.seal(deploy, {
      ...given,
      api_key: 'abcdef',
      note: 'Bearer abcdefghijkl',
      list: [{ $secret: 'v1:x' }],
    })
    const wanted = {
      id: 5,
      token: '***REDACTED***',
      login: '***REDACTED***',
      api_key: '***REDACTED***',
      note: 'Bearer ***REDACTED***',
      list: ['***REDACTED***'],
    }
    expect(hideSecrets(stored, deploy)).toEqual(wanted)
    expect(hideSecrets(stored)).toEqual(wanted)
    // Also before they are sealed, and as references.
    expect(hideSecrets({ token: 'hunter2', login: 'env:LOGIN' }, deploy)).toEqual({
      token: '***REDACTED***',
      login: 'env:LOGIN',
    })
    expect(hideSecrets({ token: 'env:DEPLOY_TOKEN' }, deploy)).toEqual({ token: 'env:DEPLOY_TOKEN' })
  })
})
