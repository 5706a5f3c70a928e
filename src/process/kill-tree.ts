/** How long a process group has between the request to stop and the kill: with it, a daemon stops in time. */
export const KILL_GRACE_DEFAULT_MS = 3_000

/** Sends a signal to a whole process group; false if it is gone. */
export function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-pid, signal)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    // EPERM: a member changed its user. Those that we may signal have been.
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
