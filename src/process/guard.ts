import { type ChildProcess, spawn } from 'node:child_process'
import { childEnvironment } from './environment.ts'
import { signalGroup } from './kill-tree.ts'
import { killStragglers, OWN_MARK } from './stragglers.ts'

/**
 * Kills the trees of this process when it dies, however it dies. A handler cannot, because SIGKILL has none. So a tiny
 * process waits for its stdin to close, which happens when we are gone, and then kills the groups it was given.
 */
let watcher: ChildProcess | undefined
const guarded = new Map<number, string>()

/** A shell is the lightest process on every system. It only gets process ids. */
const PROGRAM = `trap '' INT TERM HUP
mark=$1
groups=
while read -r what pid; do
  if [ "$what" = + ]; then groups="$groups $pid"; continue; fi
  left=
  for group in $groups; do [ "$group" = "$pid" ] || left="$left $group"; done
  groups=$left
done
[ -n "$groups" ] || exit 0
end() {
  for group in $groups; do kill -s "$1" -- "-$group" 2>/dev/null; done
  # Those that left their group carry our mark. Without /proc they cannot be found.
  for file in $(grep -alsF "$mark" /proc/[0-9]*/environ 2>/dev/null); do
    file=\${file%/environ}; kill -s "$1" "\${file#/proc/}" 2>/dev/null
  done
}
end TERM
sleep 2
end KILL`

/**
 * Starts the watcher, if there is none yet. Called before a program is started: a kill of this process in the
 * milliseconds between the start and {@link guard} is the only one that leaves the program alive.
 */
export function prepareGuard(): void {
  if (watcher) return
  watcher = spawn('/bin/sh', ['-c', PROGRAM, 'sh', OWN_MARK], {
    env: childEnvironment() as NodeJS.ProcessEnv,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watcher.on('error', () => {})
  watcher.stdin?.on('error', () => {})
  watcher.unref()
  ;(watcher.stdin as unknown as { unref?: () => void } | null)?.unref?.()
  process.once('exit', () => {
    for (const [group, mark] of guarded) {
      signalGroup(group, 'SIGKILL')
      killStragglers(mark, group)
    }
  })
}

/** Kill this group when we die. */
export function guard(pid: number, mark: string): void {
  guarded.set(pid, mark)
  watcher?.stdin?.write(`+ ${pid}\n`)
}

/** The group has ended; stop guarding it. */
export function release(pid: number): void {
  if (guarded.delete(pid)) watcher?.stdin?.write(`- ${pid}\n`)
}
