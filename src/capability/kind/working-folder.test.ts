import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { testContext } from '../../../test/capability/context.ts'
import { type AgentJob, agentCapability } from './agent-capability.ts'
import { commandCapability } from './command-capability.ts'

const outside = realpathSync(mkdtempSync(join(tmpdir(), 'mulligan-outside-')))
const base = realpathSync(mkdtempSync(join(tmpdir(), 'mulligan-root-')))
mkdirSync(join(base, 'repos', 'app'), { recursive: true })
mkdirSync(join(base, 'repos-private'))
symlinkSync(outside, join(base, 'repos', 'link'))
symlinkSync(join(base, 'repos', 'app'), join(base, 'repos', 'inner'))

const work = (cwd: string) =>
  commandCapability({ name: 'x', retry: 'none', argv: ['pwd'], cwd, base, params: { repo: {} } })
const where = (cwd: string, repo: string) =>
  work(cwd).run({ repo }, testContext({ env: { PATH: process.env.PATH, ROOT: base } }))

describe('the folder of a command', () => {
  it('is below the fixed part before its parameter', async () => {
    expect(await where('repos/{repo}', 'app')).toBe(join(base, 'repos', 'app'))
    expect(await where('repos/{repo}', 'inner')).toBe(join(base, 'repos', 'app'))
    expect(await where(`${base}/repos/{repo}`, 'app')).toBe(join(base, 'repos', 'app'))
    expect(await where('{env:ROOT}/repos/{repo}', 'app')).toBe(join(base, 'repos', 'app'))
    expect(await where('{repo}', 'repos/app')).toBe(join(base, 'repos', 'app'))
  })

  it.each([
    ['repos/{repo}', '../repos-private'],
    ['repos/{repo}', '..'],
    ['repos/{repo}', 'app/../../..'],
    ['{repo}', '/etc'],
    ['{repo}', '../..'],
    ['repos{repo}', '/../..'],
    ['repos/{repo}', 'a\0b'],
  ])('with %s does not lead out by %j, which is reported on submit', async (cwd, repo) => {
    expect(work(cwd).problems({ repo })).not.toEqual([])
    await expect(where(cwd, repo)).rejects.toThrow()
  })

  it.each([
    ['repos/{repo}', 'link'],
    ['{env:ROOT}/repos/{repo}', '../../../etc'],
    ['repos/{repo}', 'link/../..'],
  ])('with %s does not lead out by %j through links on disk', async (cwd, repo) => {
    await expect(where(cwd, repo)).rejects.toThrow(`repo: cwd must stay within ${join(base, 'repos')}`)
  })

  it('of an agent is checked the same way', async () => {
    const requests: AgentJob[] = []
    const agent = agentCapability({
      name: 'x',
      prompt: 'x',
      cwd: 'repos/{repo}',
      base,
      params: { repo: {} },
      runAgent: async request => requests.push(request),
    })
    await agent.run({ repo: 'app' }, testContext())
    expect(requests[0]?.cwd).toBe(join(base, 'repos', 'app'))
    await expect(agent.run({ repo: 'link' }, testContext())).rejects.toThrow('cwd must stay within')
    expect(agent.problems({ repo: '..' })).toEqual([`repo: cwd must stay within ${join(base, 'repos')}`])
  })
})
