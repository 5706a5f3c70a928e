import { realTime, type Time } from '../src/time/time.ts'

/**
 * A clock that runs faster, so waits of minutes take seconds. Processes with the same `beganAt` share the same time.
 * @param beganAt when both clocks were equal, epoch milliseconds of the real clock
 */
export function fastTime(beganAt: number, factor: number): Time {
  return {
    now: () => Math.round(beganAt + (Date.now() - beganAt) * factor),
    monotonic: () => performance.now() * factor,
    after: (ms, callback) => realTime.after(ms / factor, callback),
  }
}
