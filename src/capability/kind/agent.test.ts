import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { testContext } from '../../../test/capability/context.ts'
import { checkParams } from '../check-params.ts'
import { type AgentJob, agentCapability } from './agent-capability.ts'

describe('an agent run', () => {
  const requests: AgentJob[] = []
  const work = agentCapability({
    name: 'review',
    prompt: 'Review {branch}. {hint}',
    cwd: '{repo}',
    base: '/work',
    params: { branch: {}, repo: {}, hint: { required: false } },
    options: { model: 'opus', allowed_tools: ['Read'] },
    pool: ['claude', 'codex'],
    runAgent: async (request, { record }) => {
      requests.push(request)
      record({ sessionId: 's-1', cwd: '/work/x', costUsd: 0.5 })
      return { text: 'fine' }
    },
  })

  it('gets everything filled in, and may resume a session', async () => {
    const facts: unknown[] = []
    const resume = { sessionId: 's-0' }
    const context = testContext({ provider: 'codex', resume, record: fact => facts.push(fact) })
    expect(await work.run({ branch: '{x}', repo: 'app' }, context)).toEqual({ text: 'fine' })
    expect(requests).toEqual([
      {
        provider: 'codex',
        prompt: 'Review {x}. ',
        cwd: '/work/app',
        resume,
        worktree: false,
        options: { model: 'opus', allowed_tools: ['Read'] },
      },
    ])
    expect(facts).toEqual([{ sessionId: 's-1', cwd: '/work/x', costUsd: 0.5 }])
    expect(work).toMatchObject({ kind: 'agent', resumable: true, retry: 'none' })
  })

  it('is repeatable if each try has its own worktree, unless it says otherwise', () => {
    const definition = { name: 'x', prompt: 'x', worktree: true, runAgent: () => Promise.resolve() }
    expect(agentCapability(definition).retry).toBe('replay')
    expect(agentCapability({ ...definition, retry: 'none' }).retry).toBe('none')
  })

  it('lets jobs override its options, and refuses those it does not allow', async () => {
    const asked: AgentJob[] = []
    const review = agentCapability({
      name: 'review',
      prompt: 'Review {branch}.',
      params: { branch: {} },
      options: { max_turns: 10, permission_mode: 'plan' },
      runAgent: async request => asked.push(request),
    })
    const check = (options: unknown) => checkParams(review, { branch: 'x', options })
    expect(await check({ model: 'opus', effort: 'high', timeout: 60_000 })).toMatchObject({ fits: true })
    expect(await check(undefined)).toMatchObject({ fits: true })
    await review.run({ branch: 'x', options: { model: 'opus' } }, testContext())
    expect(asked[0]?.options).toEqual({ max_turns: 10, permission_mode: 'plan', model: 'opus' })
    expect((review.model as (params: unknown) => unknown)({ options: { model: 'opus' } })).toBe('opus')
    for (const [options, problem] of [
      [{ max_turns: 99 }, 'option max_turns: the capability sets it'],
      [{ allowed_tools: ['Bash'] }, 'option allowed_tools: a job may not set it'],
      [{ binary: '/bin/sh' }, 'option binary: a job may not set it'],
      [{ modle: 'opus' }, 'option modle: no such option'],
      [{ model: 7 }, 'option model: must be a non-empty string'],
      ['opus', 'options must be an object'],
    ] as const)
      expect(await check(options)).toMatchObject({
        fits: false,
        problems: [expect.stringContaining(problem)],
      })
    await expect(review.run({ branch: 'x', options: { binary: '/bin/sh' } }, testContext())).rejects.toThrow(
      'a job may not set it',
    )
  })

  it('allows jobs the options its author names, and none for an empty list or its own parameter', async () => {
    const definition = { name: 'x', prompt: 'x', options: { max_turns: 10 }, runAgent: async () => 1 }
    const open = agentCapability({ ...definition, jobOptions: ['max_turns', 'allowed_tools'] })
    expect(await checkParams(open, { options: { max_turns: 99, allowed_tools: ['Read'] } })).toMatchObject({
      fits: true,
    })
    expect(await checkParams(open, { options: { model: 'opus' } })).toMatchObject({ fits: false })
    const closed = agentCapability({ ...definition, jobOptions: [] })
    expect(await checkParams(closed, { options: {} })).toMatchObject({ fits: false })
    const own = agentCapability({ ...definition, prompt: '{options}', params: { options: {} } })
    expect(await checkParams(own, { options: 'any text' })).toMatchObject({ fits: true })
    const typed = agentCapability({ ...definition, params: z.object({ n: z.int() }) })
    expect(await checkParams(typed, { n: 1, options: { model: 'opus' } })).toMatchObject({ fits: true })
    expect(await checkParams(typed, { n: 1, options: { model: 7 } })).toMatchObject({ fits: false })
  })

  it.each<[object, string]>([
    [{ jobOptions: ['modle'] }, 'jobOptions: unknown option "modle"'],
    [{ prompt: '{options}' }, 'names the unknown parameter {options}'],
    [{ prompt: '' }, 'prompt must be a string'],
    [{ prompt: 'do {it}' }, 'names the unknown parameter {it}'],
    [{ runAgent: undefined }, 'runAgent must be a function'],
  ])('%j is refused', (wrong, message) => {
    const definition = { name: 'x', prompt: 'x', runAgent: () => Promise.resolve(), ...wrong }
    expect(() => agentCapability(definition as never)).toThrow(message)
  })
})
