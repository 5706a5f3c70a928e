import { realTime } from '../../src/time/time.ts'

// Loaded before a program with `node --import`, it lets the test that started the program move its time forward: both
// clocks jump, and timers that come due fire in order. For tests.

interface Waiting {
  /** Due time on the moved monotonic clock. */
  at: number
  callback: () => void
  stop: () => void
}

let moved = 0
const { now, monotonic, after } = realTime
const timers = new Set<Waiting>()

realTime.now = () => now() + moved
realTime.monotonic = () => monotonic() + moved
realTime.after = (ms, callback) => {
  if (ms === Infinity) return () => {}
  const timer = arm({ at: realTime.monotonic() + ms, callback, stop: () => {} })
  return () => {
    timers.delete(timer)
    timer.stop()
  }
}

function arm(timer: Waiting): Waiting {
  timers.add(timer)
  timer.stop = after(Math.max(0, timer.at - realTime.monotonic()), () => {
    timers.delete(timer)
    timer.callback()
  })
  return timer
}

process.on('message', ({ advanceMs }: { advanceMs: number }) => {
  moved += advanceMs
  for (const timer of [...timers].sort((a, b) => a.at - b.at)) {
    // A timer that fired before may have cancelled this one.
    if (!timers.has(timer)) continue
    timer.stop()
    timers.delete(timer)
    arm(timer)
  }
})
process.channel?.unref()
