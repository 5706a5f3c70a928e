import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isWorktreeChanged, makeWorktree, type Worktree } from './worktree.ts'

const ALWAYS = ['-c', 'user.name=x', '-c', 'user.email=x@x', '-c', 'protocol.file.allow=always']
const gitIn = (cwd: string, ...args: string[]) =>
  execFileSync('git', [...ALWAYS, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

let repository: string
let env: Record<string, string | undefined>
let worktree: Worktree

/** A repository with a submodule. Made once, because making it takes git twenty processes. */
const made = mkdtempSync(join(tmpdir(), 'mulligan-work-'))
beforeAll(() => {
  const project = join(made, 'project')
  gitIn(made, 'init', '-q', 'library')
  write(join(made, 'library', 'l.txt'))
  gitIn(join(made, 'library'), 'add', '.')
  gitIn(join(made, 'library'), 'commit', '-q', '-m', 'library')
  gitIn(made, 'init', '-q', project)
  write(join(project, 'a.txt'))
  write(join(project, '.gitignore'), '*.log\nout/\n')
  gitIn(project, 'submodule', '-q', 'add', join(made, 'library'), 'library')
  gitIn(project, 'add', '.')
  gitIn(project, 'commit', '-q', '-m', 'first')
})

beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-work-'))
  cpSync(made, folder, { recursive: true, preserveTimestamps: true })
  repository = join(folder, 'project')
  env = {
    ...process.env,
    XDG_STATE_HOME: join(folder, 'state'),
    GIT_CONFIG_GLOBAL: join(folder, 'gitconfig'),
  }
  writeFileSync(join(folder, 'gitconfig'), '')
  worktree = await newWorktree()
})

async function newWorktree(name?: string): Promise<Worktree> {
  const answer = await makeWorktree({ cwd: repository, env, newId: () => 'w1' }, { provider: 'p', name })
  if ('failure' in answer) throw new Error(answer.failure.message)
  return answer.worktree
}

function write(file: string, text = 'x'): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
const at = (name: string) => join(worktree.path, name)
const git = (...args: string[]) => gitIn(worktree.path, ...args)

describe('work in a worktree', () => {
  it('is absent when nothing was done, regardless of the git configuration', async () => {
    expect(await isWorktreeChanged(worktree, { env })).toBe(false)
    git('config', 'status.showUntrackedFiles', 'no')
    expect(await isWorktreeChanged(worktree, { env: { ...env, GIT_DIR: '/nowhere' } })).toBe(false)
  })

  it.each<[string, () => void]>([
    ['a new file', () => write(at('b.txt'))],
    ['an ignored file', () => write(at('result.log'))],
    ['a file in an ignored folder', () => write(at('out/deep/result.txt'))],
    [
      'a new file where the config hides them',
      () => {
        git('config', 'status.showUntrackedFiles', 'no')
        write(at('b.txt'))
      },
    ],
    [
      'a file that a list of the user ignores',
      () => {
        write(join(repository, '../ignore'), '*.txt')
        appendFileSync(
          env.GIT_CONFIG_GLOBAL as string,
          `[core]\nexcludesFile = ${join(repository, '../ignore')}\n`,
        )
        write(at('b.txt'))
      },
    ],
    [
      'a change that the index was told not to see',
      () => {
        git('update-index', '--assume-unchanged', 'a.txt')
        write(at('a.txt'), 'changed')
      },
    ],
    [
      'a change that the index was told to skip',
      () => {
        git('update-index', '--skip-worktree', 'a.txt')
        write(at('a.txt'), 'changed')
      },
    ],
    [
      'what is only staged',
      () => {
        write(at('b.txt'))
        git('add', 'b.txt')
        execFileSync('rm', [at('b.txt')])
      },
    ],
    ['a repository within', () => void gitIn(worktree.path, 'init', '-q', 'nested')],
    [
      'an ignored repository within',
      () => {
        gitIn(worktree.path, 'init', '-q', 'out/nested')
        write(at('out/nested/n.txt'))
      },
    ],
    [
      'an ignored file in a submodule',
      () => {
        git('submodule', '-q', 'update', '--init')
        write(join(repository, '.git/worktrees/w1/modules/library/info/exclude'), '*.log')
        write(at('library/l.log'))
      },
    ],
    [
      'a commit',
      () => {
        write(at('b.txt'))
        git('add', '.')
        git('commit', '-q', '-m', 'work')
      },
    ],
    [
      'a commit on its branch that was left',
      () => {
        write(at('b.txt'))
        git('add', '.')
        git('commit', '-q', '-m', 'work')
        git('checkout', '-q', '--detach', worktree.base)
      },
    ],
    [
      'a commit on no branch that was left',
      () => {
        git('checkout', '-q', '--detach')
        write(at('b.txt'))
        git('add', '.')
        git('commit', '-q', '-m', 'work')
        git('checkout', '-q', worktree.branch)
      },
    ],
    ['a mode', () => void execFileSync('chmod', ['+x', at('a.txt')])],
  ])('counts: %s', async (_, work) => {
    work()
    expect(await isWorktreeChanged(worktree, { env })).toBe(true)
  })
})

describe('a worktree with a name', () => {
  it('is on the reported branch', async () => {
    const first = await newWorktree('named')
    gitIn(first.path, 'checkout', '-q', '-b', 'other')
    expect(await newWorktree('named')).toMatchObject({ path: first.path, branch: 'other' })
  })

  it('is refused if something else is in its place', async () => {
    const first = await newWorktree('named')
    gitIn(repository, 'worktree', 'remove', '--force', first.path)
    write(join(first.path, 'notes.txt'))
    await expect(newWorktree('named')).rejects.toThrow(
      `${first.path} exists, but is not a worktree of ${repository}`,
    )
  })
})
