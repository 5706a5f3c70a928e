import type { Failure } from '../failure/failure.ts'

/** Exit codes of commands that run something, by outcome. Documented and stable. */
export const EXIT = {
  done: 0,
  permanent: 1,
  usage: 2,
  noProvider: 69,
  unknown: 70,
  tryLater: 75,
  login: 77,
  timeout: 124,
  rail: 125,
  aborted: 130,
} as const

/** The exit code for a failure, for scripts. */
export function exitCodeOf({ class: cls, kind, origin }: Failure): number {
  if (origin === 'gate') return EXIT.noProvider
  if (kind === 'auth' || kind === 'forbidden') return EXIT.login
  switch (cls) {
    case 'permanent':
      return EXIT.permanent
    case 'throttle':
    case 'transient':
      return EXIT.tryLater
    case 'timeout':
      return EXIT.timeout
    case 'rail':
      return EXIT.rail
    case 'aborted':
      return EXIT.aborted
    case 'unknown':
      return EXIT.unknown
  }
}

/** The codes, for help texts. */
export const EXIT_USAGE = `0 done, 1 permanent, 2 wrong usage, 69 no provider can serve, 70 unknown,
75 throttle or transient (try later), 77 login, 124 timeout, 125 a limit you set stopped it, 130 aborted`
