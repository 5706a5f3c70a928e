import { realTime, type Time } from '../src/time/time.ts'

/**
 * A clock that goes faster, the same in all processes that begin it at the same moment: waits of minutes take seconds.
 * @param beganAt epoch milliseconds of the real clock at which both are the same
 */
export function fastTime(beganAt: number, factor: number): Time {
  return {
    now: () => Math.round(beganAt + (Date.now() - beganAt) * factor),
    monotonic: () => performance.now() * factor,
    after: (ms, callback) => realTime.after(ms / factor, callback),
  }
}
