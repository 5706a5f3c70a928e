/** The signals that ask a command to stop. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs work with a signal that is aborted when somebody asks this process to stop, so that what it started is ended
 * first. Asked a second time, the process ends at once; what it started is killed with it.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(130)
    controller.abort(new Error(`stopped by ${name}`))
  }
  for (const name of SIGNALS) process.on(name, onSignal)
  try {
    return await work(controller.signal)
  } finally {
    for (const name of SIGNALS) process.off(name, onSignal)
  }
}
