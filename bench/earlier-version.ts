import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Checks out an earlier commit of this repository beside it, while something is done with it.
 *
 * @param dependencies `ours` are lent to it; with `its own` it begins without, and installs them when it is built
 */
export async function withVersion<T>(
  here: string,
  commit: string,
  work: (root: string) => T | Promise<T>,
  dependencies: 'ours' | 'its own' = 'ours',
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-before-'))
  const root = join(folder, 'mulligan')
  execFileSync('git', ['-C', here, 'worktree', 'add', '--detach', root, commit], { stdio: 'ignore' })
  try {
    if (dependencies === 'ours') symlinkSync(join(here, 'node_modules'), join(root, 'node_modules'))
    return await work(root)
  } finally {
    execFileSync('git', ['-C', here, 'worktree', 'remove', '--force', root], { stdio: 'ignore' })
    rmSync(folder, { recursive: true, force: true })
  }
}
