import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { makeFolder } from '../config/make-folder.ts'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { present } from '../failure/present.ts'
import { type ProcessResult, run } from '../process/run.ts'
import { quietly } from '../time/clean-up.ts'
import type { Time } from '../time/time.ts'
import { ownFailure } from './own-failure.ts'
import type { Environment } from './variables.ts'

/** A git worktree for a run, so runs do not interfere with each other or with the user. */
export interface Worktree {
  path: string
  /** The branch created for it. */
  branch: string
  /** The repository it belongs to. */
  repository: string
  /** The commit it began at. */
  base: string
  /** True if it is reused by name, and not removed. */
  isNamed: boolean
}

/** What creating and removing worktrees needs from outside. */
export interface WorktreeContext {
  /** Where the run would work without a worktree: a folder of a repository. */
  cwd: string
  env: Environment
  time?: Time
  signal?: AbortSignal
  /** Makes the name of an unnamed worktree. */
  newId: () => string
  /** An index other than the worktree's. */
  index?: string
}

export type WorktreeAnswer = { worktree: Worktree } | { failure: Failure }

/** Time limit for git, in milliseconds; checking out a large repository takes time. */
const GIT_TIMEOUT_MS = 300_000

/** Creates a worktree at the current commit, on its own branch. Reuses an existing named one. */
export async function makeWorktree(
  context: WorktreeContext,
  { provider, name }: { provider: string; name?: string | undefined },
): Promise<WorktreeAnswer> {
  const found = await git(context, ['rev-parse', '--show-toplevel', 'HEAD'])
  if ('failure' in found) return { failure: { ...found.failure, provider } }
  const [repository = '', base = ''] = found.output.split('\n')
  // What git printed goes back to it as an argument.
  if (!/^[0-9a-f]{40,64}$/.test(base) || !isAbsolute(repository))
    return { failure: { ...unreadable(repository), provider } }
  const id = name ?? context.newId()
  const path = join(folderFor(repository, context.env), id)
  const worktree: Worktree = { path, branch: `mulligan/${id}`, repository, base, isNamed: name !== undefined }
  if (existsSync(path)) return usedAgain(worktree, context, provider)
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

/** Reuses the folder with that name: it must be ours; its branch is the one it is on now. */
async function usedAgain(
  worktree: Worktree,
  context: WorktreeContext,
  provider: string,
): Promise<WorktreeAnswer> {
  const { path, repository } = worktree
  const commonFolder = ['rev-parse', '--path-format=absolute', '--git-common-dir']
  const [there, ours, branch] = await Promise.all([
    git({ ...context, cwd: path }, commonFolder),
    git({ ...context, cwd: repository }, commonFolder),
    git({ ...context, cwd: path }, ['rev-parse', '--abbrev-ref', 'HEAD']),
  ])
  if ('output' in there && 'output' in ours && there.output === ours.output && 'output' in branch)
    return { worktree: { ...worktree, branch: branch.output } }
  const message = `${path} exists, but is not a worktree of ${repository}: move it away, or choose another name`
  return { failure: { ...ownFailure({ kind: 'config', rule: 'worktree_taken', message }), provider } }
}

/**
 * True if it contains anything that was not there when it was created, regardless of git's configuration: changed, staged,
 * committed, untracked and ignored files, nested repositories, and commits that only it has.
 */
export async function isWorktreeChanged(
  worktree: Worktree,
  context: Omit<WorktreeContext, 'cwd' | 'newId'>,
): Promise<boolean> {
  const { path, branch, base } = worktree
  const at = { ...context, cwd: path, newId: () => '' }
  const index = join(tmpdir(), `mulligan-index-${randomUUID()}`)
  try {
    // A separate index, because the worktree's own may mark files as unchanged or to be skipped.
    const afresh = { ...at, index }
    const read = await git(afresh, ['read-tree', base])
    const answers = await Promise.all([
      git(afresh, ['-c', 'core.fileMode=true', 'status', '--porcelain', ...EVERYTHING]),
      git(at, ['diff', '--cached', '--name-only', '--ignore-submodules=none', base]),
      git(at, ['log', '--walk-reflogs', '--format=%H', 'HEAD']),
      git(at, ['rev-parse', 'HEAD', `refs/heads/${branch}`]),
    ])
    // If it cannot be inspected, it may contain work.
    if ('failure' in read || answers.some(answer => 'failure' in answer)) return existsSync(path)
    const [status, staged, ...commits] = answers.map(answer => ('output' in answer ? answer.output : ''))
    const isElsewhere = commits.flatMap(output => output.split('\n')).some(commit => commit !== base)
    return status !== '' || staged !== '' || isElsewhere || (await hasFilledSubmodule(afresh))
  } finally {
    void quietly(() => rmSync(index, { force: true }))
  }
}

/** Overrides the configuration of the user, the repository and submodules. */
const EVERYTHING = ['--untracked-files=all', '--ignored=matching', '--ignore-submodules=none', '--no-renames']

/** A new worktree has empty submodules: a filled one was filled by the agent, and may contain what git ignores in it. */
async function hasFilledSubmodule(context: WorktreeContext): Promise<boolean> {
  const listed = await git(context, ['ls-files', '-z', '--stage'])
  if ('failure' in listed) return true
  return listed.output
    .split('\0')
    .filter(entry => entry.startsWith('160000 '))
    .some(entry => {
      const folder = join(context.cwd, entry.slice(entry.indexOf('\t') + 1))
      return existsSync(folder) && readdirSync(folder).length > 0
    })
}

/** Removes a worktree with its contents and its branch. A named one stays. */
export async function discardWorktree(
  worktree: Worktree,
  context: Omit<WorktreeContext, 'cwd' | 'newId'>,
): Promise<void> {
  if (worktree.isNamed) return
  const at = { ...context, cwd: worktree.repository, newId: () => '' }
  await git(at, ['worktree', 'remove', '--force', worktree.path])
  await git(at, ['branch', '-D', worktree.branch])
}

function unreadable(repository: string): Failure {
  const message = `git reported no commit to start a worktree at, or no usable folder: ${JSON.stringify(repository)}`
  return ownFailure({ kind: 'git_unavailable', rule: 'git_failed', message })
}

/** Outside the repository: agents are told not to touch `.git`, and search everything next to it. */
function folderFor(repository: string, env: Environment): string {
  const state = env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state')
  const hash = createHash('sha256').update(repository).digest('hex').slice(0, 8)
  return join(state, 'mulligan', 'worktrees', `${basename(repository)}-${hash}`)
}

/** Variables that say where a repository is, as in a git hook: ours is where we say. */
const PLACES = new Set([
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_OBJECT_DIRECTORY',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
])

function withoutPlaces(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !PLACES.has(name)))
}

async function git(
  { cwd, env, time, signal, index }: WorktreeContext,
  args: readonly string[],
): Promise<{ output: string } | { failure: Failure }> {
  let result: ProcessResult
  try {
    result = await run({
      argv: ['git', ...args],
      cwd,
      env: {
        ...withoutPlaces(env),
        GIT_TERMINAL_PROMPT: '0',
        LC_ALL: 'C',
        ...present({ GIT_INDEX_FILE: index }),
      },
      timeoutMs: GIT_TIMEOUT_MS,
      ...present({ time, signal }),
    })
  } catch (error) {
    const message = `a worktree needs git, but git cannot be started: ${(error as Error).message}`
    return { failure: ownFailure({ kind: 'git_unavailable', rule: 'git_unavailable', message }) }
  }
  if (result.exitCode === 0) return { output: result.stdout.trim() }
  if (/not a git repository/i.test(result.stderr)) {
    const message = `a worktree needs a git repository, but ${cwd} is not in one`
    return { failure: ownFailure({ kind: 'not_a_git_repo', rule: 'not_a_git_repo', message }) }
  }
  const own = { aborted: result.aborted, timedOut: result.timedOut }
  // The run itself has not begun.
  return { failure: { ...(classify(result, { own }) as Failure), code: 'git_failed', effect: 'none' } }
}
