import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { makeFolder } from '../config/make-folder.ts'
import { classify, type Failure } from '../failure/index.ts'
import { type RunResult, run } from '../process/index.ts'
import type { Time } from '../time/index.ts'
import type { Environment } from './environment.ts'
import { ownFailure } from './own-failure.ts'

/** A git worktree that a run works in, so that runs do not step on each other, nor on the user. */
export interface Worktree {
  path: string
  /** The branch made for it. */
  branch: string
  /** The repository that it belongs to. */
  repository: string
  /** The commit that it began at. */
  base: string
  /** It has a name by which it is used again, and is not thrown away. */
  isNamed: boolean
}

/** What making and removing worktrees needs of the outside. */
export interface WorktreeContext {
  /** Where the run would work without a worktree: a folder of a repository. */
  cwd: string
  env: Environment
  time?: Time
  signal?: AbortSignal
  /** Name for a worktree of its own. */
  newId: () => string
}

export type WorktreeAnswer = { worktree: Worktree } | { failure: Failure }

/** How long git has, in milliseconds; a checkout of a large repository takes its time. */
const GIT_TIMEOUT_MS = 300_000

/** Makes a worktree at the present commit, on a branch of its own; a named one that is there already is used again. */
export async function makeWorktree(
  context: WorktreeContext,
  { provider, name }: { provider: string; name?: string | undefined },
): Promise<WorktreeAnswer> {
  const found = await git(context, ['rev-parse', '--show-toplevel', 'HEAD'])
  if ('failure' in found) return { failure: { ...found.failure, provider } }
  const [repository = '', base = ''] = found.output.split('\n')
  const id = name ?? context.newId()
  const path = join(folderFor(repository, context.env), id)
  const worktree: Worktree = { path, branch: `mulligan/${id}`, repository, base, isNamed: name !== undefined }
  if (existsSync(path)) return { worktree }
  makeFolder(dirname(path))
  const made = await git({ ...context, cwd: repository }, [
    'worktree',
    'add',
    '-b',
    worktree.branch,
    path,
    base,
  ])
  return 'failure' in made ? { failure: { ...made.failure, provider } } : { worktree }
}

/** True if something was changed or committed in it. */
export async function isWorktreeChanged(
  worktree: Worktree,
  context: Omit<WorktreeContext, 'cwd' | 'newId'>,
): Promise<boolean> {
  const at = { ...context, cwd: worktree.path, newId: () => '' }
  const [status, head] = await Promise.all([
    git(at, ['status', '--porcelain']),
    git(at, ['rev-parse', 'HEAD']),
  ])
  // What cannot be looked at may hold work.
  if ('failure' in status || 'failure' in head) return existsSync(worktree.path)
  return status.output !== '' || head.output !== worktree.base
}

/** Throws a worktree away with all that is in it, and its branch. One that is used again stays. */
export async function discardWorktree(
  worktree: Worktree,
  context: Omit<WorktreeContext, 'cwd' | 'newId'>,
): Promise<void> {
  if (worktree.isNamed) return
  const at = { ...context, cwd: worktree.repository, newId: () => '' }
  await git(at, ['worktree', 'remove', '--force', worktree.path])
  await git(at, ['branch', '-D', worktree.branch])
}

/** Outside of the repository: agents are told not to touch what lies in `.git`, and search what lies beside it. */
function folderFor(repository: string, env: Environment): string {
  const state = env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state')
  const hash = createHash('sha256').update(repository).digest('hex').slice(0, 8)
  return join(state, 'mulligan', 'worktrees', `${basename(repository)}-${hash}`)
}

async function git(
  { cwd, env, time, signal }: WorktreeContext,
  args: readonly string[],
): Promise<{ output: string } | { failure: Failure }> {
  let result: RunResult
  try {
    result = await run({
      argv: ['git', ...args],
      cwd,
      env: { ...env, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
      timeoutMs: GIT_TIMEOUT_MS,
      ...(time ? { time } : {}),
      ...(signal ? { signal } : {}),
    })
  } catch (error) {
    const message = `a worktree needs git, which cannot be started: ${(error as Error).message}`
    return { failure: ownFailure({ kind: 'git_unavailable', rule: 'git_unavailable', message }) }
  }
  if (result.exitCode === 0) return { output: result.stdout.trim() }
  if (/not a git repository/i.test(result.stderr)) {
    const message = `a worktree needs a git repository, and ${cwd} is in none`
    return { failure: ownFailure({ kind: 'not_a_git_repo', rule: 'not_a_git_repo', message }) }
  }
  const own = { aborted: result.aborted, timedOut: result.timedOut }
  // Nothing of the run itself has begun.
  return { failure: { ...(classify(result, { own }) as Failure), code: 'git_failed', effect: 'none' } }
}
