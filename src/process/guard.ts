import { type ChildProcess, spawn } from 'node:child_process'
import { signalGroup } from './kill-tree.ts'

/**
 * Ends the trees of this process when it dies, however it dies. A handler cannot: nobody handles SIGKILL. So a tiny
 * process waits for its stdin to close, which happens when we are gone, and then ends the groups it was told of.
 */
let watcher: ChildProcess | undefined
const guarded = new Set<number>()

/** A shell is the lightest process that every system has. It is given process ids, nothing else. */
const PROGRAM = `trap '' INT TERM HUP
groups=
while read -r what pid; do
  if [ "$what" = + ]; then groups="$groups $pid"; continue; fi
  left=
  for group in $groups; do [ "$group" = "$pid" ] || left="$left $group"; done
  groups=$left
done
[ -n "$groups" ] || exit 0
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
sleep 2
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done`

/**
 * Starts the watcher, if there is none yet. Called before a program is started: a kill of this process in the
 * milliseconds between the start and {@link guard} is the only one that leaves the program alive.
 */
export function prepareGuard(): void {
  if (watcher) return
  watcher = spawn('/bin/sh', ['-c', PROGRAM], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  watcher.on('error', () => {})
  watcher.stdin?.on('error', () => {})
  watcher.unref()
  ;(watcher.stdin as unknown as { unref?: () => void } | null)?.unref?.()
  process.once('exit', () => {
    for (const group of guarded) signalGroup(group, 'SIGKILL')
  })
}

/** From now on the group ends with us. */
export function guard(pid: number): void {
  guarded.add(pid)
  watcher?.stdin?.write(`+ ${pid}\n`)
}

/** The group has ended. */
export function release(pid: number): void {
  if (guarded.delete(pid)) watcher?.stdin?.write(`- ${pid}\n`)
}
