import { problemOf } from './problem.ts'

/** What may happen twice, if the daemon refused a request for that reason; undefined for any other problem. */
export function doubtOf(error: unknown): string | undefined {
  return problemOf(error).why
}
