/** Whether a process of this machine runs, ours or not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user runs too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
