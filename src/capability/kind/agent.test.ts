import { describe, expect, it } from 'vitest'
import { testContext } from '../test-context.ts'
import { type AgentRequest, agentCapability } from './agent-capability.ts'

describe('an agent run', () => {
  const requests: AgentRequest[] = []
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

  it('is asked with everything filled in, and may continue a session', async () => {
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

  it('may be repeated where each try has a worktree of its own, unless it says otherwise', () => {
    const definition = { name: 'x', prompt: 'x', worktree: true, runAgent: () => Promise.resolve() }
    expect(agentCapability(definition).retry).toBe('replay')
    expect(agentCapability({ ...definition, retry: 'none' }).retry).toBe('none')
  })

  it.each<[object, string]>([
    [{ prompt: '' }, 'prompt must be a text'],
    [{ prompt: 'do {it}' }, 'names the parameter {it}'],
    [{ runAgent: undefined }, 'runAgent must be a function'],
  ])('%j is refused', (wrong, message) => {
    const definition = { name: 'x', prompt: 'x', runAgent: () => Promise.resolve(), ...wrong }
    expect(() => agentCapability(definition as never)).toThrow(message)
  })
})
