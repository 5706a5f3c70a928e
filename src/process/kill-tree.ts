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
