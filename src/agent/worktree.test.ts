import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { answer, codexAnswer, fail, overloaded, work } from '../../test/agent/bodies.ts'
import { agent, calling, failing, freshStubs, stubs } from '../../test/agent/calls.ts'
import { type AgentCallOptions, agentFailureOf } from './call-agent.ts'
import type { AgentSettings } from './settings.ts'

freshStubs()

describe('a worktree of its own', () => {
  let repository: string
  let env: Record<string, string | undefined>
  const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8' })

  beforeEach(() => {
    const folder = mkdtempSync(join(tmpdir(), 'mulligan-repository-'))
    repository = join(folder, 'project')
    env = { ...process.env, XDG_STATE_HOME: join(folder, 'state'), GIT_CONFIG_GLOBAL: '/dev/null' }
    execFileSync('git', ['init', '-q', repository])
    writeFileSync(join(repository, 'a.txt'), 'a')
    git('add', '.')
    git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-q', '-m', 'first')
  })

  const worktrees = () => git('worktree', 'list', '--porcelain').match(/^worktree /gm)?.length
  const folders = () => {
    const root = join(env.XDG_STATE_HOME as string, 'mulligan', 'worktrees')
    return existsSync(root) ? readdirSync(root).flatMap(name => readdirSync(join(root, name))) : []
  }
  const inWorktree = (agents: AgentSettings[], more: Partial<AgentCallOptions> = {}) =>
    calling(agents, { options: { worktree: true }, cwd: repository, env, ...more })

  it('is removed when nothing was changed in it', async () => {
    const { value } = await inWorktree([agent('claude', answer())])
    expect(stubs.starts('claude')[0]?.cwd).not.toBe(repository)
    // A deleted folder is not reported.
    expect(value.worktree).toBe(undefined)
    expect(worktrees()).toBe(1)
    expect(folders()).toEqual([])
    expect(git('branch', '--list', 'mulligan/*')).toBe('')
  })

  it('stays with the work that was done in it, and leaves the repository alone', async () => {
    const { value } = await inWorktree([agent('claude', `fs.writeFileSync('b.txt', 'b'); ${answer()}`)])
    expect(existsSync(join(value.worktree?.path as string, 'b.txt'))).toBe(true)
    expect(existsSync(join(repository, 'b.txt'))).toBe(false)
    expect(git('branch', '--list', 'mulligan/*')).toContain(value.worktree?.branch)
  })

  it('lets another agent start over in a new one, without losing the work of the failed try', async () => {
    const claude = agent(
      'claude',
      `fs.writeFileSync('half.txt', ''); ${work}; ${fail({ api_error_status: 400, result: 'Credit balance is too low' })}`,
    )
    const codex = agent(
      'codex',
      `fs.writeFileSync('b.txt', String(fs.existsSync('half.txt'))); ${codexAnswer}`,
    )
    const { value, provider } = await inWorktree([claude, codex])
    expect(provider).toBe('codex')
    expect(folders()).toContain(value.worktree?.branch.replace('mulligan/', ''))
    expect(existsSync(join(stubs.starts('claude')[0]?.cwd as string, 'half.txt'))).toBe(true)
    expect(execFileSync('cat', [join(value.worktree?.path as string, 'b.txt')], { encoding: 'utf8' })).toBe(
      'false',
    )
  })

  it('is kept while its session may be resumed, and the session is resumed in it', async () => {
    const claude = agent(
      'claude',
      `fs.appendFileSync('n.txt', 'x'); if (start === 1) { ${work}; ${overloaded} } else { ${answer()} }`,
    )
    const { value } = await inWorktree([claude])
    expect(stubs.starts('claude').map(({ cwd }) => cwd)).toEqual([value.worktree?.path, value.worktree?.path])
    expect(folders()).toHaveLength(1)
    const stopped = agent(
      'claude',
      fail({ subtype: 'error_max_turns', errors: ['Reached maximum number of turns (3)'] }),
    )
    const error = await failing(inWorktree([stopped]))
    expect(existsSync(agentFailureOf(error)?.session?.worktree?.path as string)).toBe(true)
  })

  it('is reused by name, and never removed', async () => {
    const options = { worktree: 'issue-7' }
    const claude = agent('claude', answer())
    await calling([claude], { options, cwd: repository, env })
    await calling([claude], { options, cwd: repository, env })
    const [first, second] = stubs.starts('claude')
    expect(first?.cwd).toMatch(/issue-7$/)
    expect(second?.cwd).toBe(first?.cwd)
    expect(folders()).toEqual(['issue-7'])
  })

  it('is removed, changed or not, if asked to', async () => {
    await inWorktree([agent('claude', `fs.writeFileSync('b.txt', ''); ${answer()}`)], {
      keepWorktree: 'never',
    })
    expect(folders()).toEqual([])
  })
})
