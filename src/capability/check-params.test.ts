import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { deploy } from '../../test/capability/deploy.ts'
import { admitParams } from './check-params.ts'
import { Secrets } from './secret/secrets.ts'

const folder = mkdtempSync(join(tmpdir(), 'mulligan-admit-'))
afterAll(() => rmSync(folder, { recursive: true }))

const secrets = new Secrets({ folder })

describe('parameters of a new operation', () => {
  it.each<[unknown, string[]]>([
    [{ items: 'x' }, ['items: must be an array, not a string']],
    [{ items: [], token: 'short' }, ['token: must have 8 characters or more']],
    [
      { items: [], token: 'env:not a name' },
      ['token: must name a variable after "env:", such as "env:API_KEY"'],
    ],
    [undefined, ['items: is missing; it must be an array']],
    [{ items: [], n: 1n }, [expect.stringContaining('they must be JSON')]],
  ])('%o are refused', async (params, problems) => {
    expect(await admitParams(deploy, params, secrets)).toEqual({ admitted: false, problems })
  })

  it('are accepted with a reference, or with a secret that is already sealed', async () => {
    const reference = { items: [], token: 'env:X' }
    expect(await admitParams(deploy, reference, secrets)).toMatchObject({ admitted: true, params: reference })
    const sealed = secrets.seal(deploy, { items: [], token: 'hunter2hunter2' })
    expect(await admitParams(deploy, sealed, secrets)).toMatchObject({ admitted: true, params: sealed })
  })

  it('come with the JSON text to store, in which secrets are sealed', async () => {
    const plain = await admitParams(deploy, { items: [], when: new Date(0) }, secrets)
    expect(plain).toMatchObject({ text: '{"items":[],"when":"1970-01-01T00:00:00.000Z"}' })
    const secret = await admitParams(deploy, { items: [], token: 'hunter2hunter2' }, secrets)
    const { params, text } = secret as { params: unknown; text: string }
    expect(text).not.toContain('hunter2')
    expect(JSON.parse(text)).toEqual(params)
  })
})
