import { type ChildProcess, spawn } from 'node:child_process'
import { childEnvironment } from './environment.ts'
import { killStragglers } from './stragglers.ts'

/**
 * Kills this process's trees when it dies, even by SIGKILL, which no handler can catch. A tiny watcher process waits for its
 * stdin to close, which happens when we are gone, and then kills the trees it was told about.
 */
let watcher: ChildProcess | undefined
const guarded = new Map<string, number>()

/** A shell is the lightest process on every system. It receives only marks and process ids. */
const PROGRAM = `trap '' INT TERM HUP
trees=
while read -r what mark pid; do
  left=
  for tree in $trees; do [ "\${tree%%/*}" = "$mark" ] || left="$left $tree"; done
  trees=$left
  [ "$what" = - ] || trees="$trees $mark/$pid"
done
[ -n "$trees" ] || exit 0
# Those that left their group carry the mark of their tree. Without /proc they cannot be found.
marked() { for tree in $trees; do echo "\${tree%%/*}"; done | grep -alsFf - /proc/[0-9]*/environ 2>/dev/null; }
end() {
  for tree in $trees; do [ -z "\${tree#*/}" ] || kill -s "$1" -- "-\${tree#*/}" 2>/dev/null; done
  found=$(marked)
  for file in $found; do file=\${file%/environ}; kill -s "$1" "\${file#/proc/}" 2>/dev/null; done
}
end TERM
sleep 2
# What was forked during one round is found in the next.
for round in 1 2 3 4 5 6 7 8 9 10; do end KILL; [ -n "$found" ] || exit 0; sleep 0.1; done`

/**
 * Kills the tree with this mark when we die. Call it before the program starts: then no kill of this process can leave the
 * program alive.
 */
export function guard(mark: string): void {
  watcher ??= startWatcher()
  watcher.stdin?.write(`+ ${mark}\n`)
}

/** Tells the watcher that the tree's program has started as the leader of this group. */
export function guardGroup(mark: string, pid: number): void {
  guarded.set(mark, pid)
  watcher?.stdin?.write(`+ ${mark} ${pid}\n`)
}

/** Stops guarding a tree that has ended. */
export function release(mark: string): void {
  guarded.delete(mark)
  watcher?.stdin?.write(`- ${mark}\n`)
}

function startWatcher(): ChildProcess {
  const started = spawn('/bin/sh', ['-c', PROGRAM], {
    env: childEnvironment() as NodeJS.ProcessEnv,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  started.on('error', () => {})
  started.stdin?.on('error', () => {})
  started.unref()
  ;(started.stdin as unknown as { unref?: () => void } | null)?.unref?.()
  process.once('exit', () => {
    for (const [mark, group] of guarded) {
      signalGroup(group, 'SIGKILL')
      killStragglers(mark, group)
    }
  })
  return started
}

/** Time between SIGTERM and SIGKILL of a process group, in milliseconds; short enough for a daemon to stop in time. */
export const KILL_GRACE_DEFAULT_MS = 3_000

/** Signals a whole process group. Returns false if it is gone. */
export function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-pid, signal)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    // EPERM: a member changed its user. The others received the signal.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** True while any process of the group lives. */
export function isGroupAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
