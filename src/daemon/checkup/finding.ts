/** What a checkup of a daemon looked at. */
export type CheckedPart = 'config' | 'daemon' | 'lock' | 'ledger' | 'disk' | 'clock' | 'surface'

/** One answer of a checkup of a daemon. */
export interface DaemonFinding {
  part: CheckedPart
  /** `not_checked` is no trouble: nothing is known. */
  state: 'ok' | 'trouble' | 'not_checked'
  /** What was found, for people. */
  message: string
  /** What helps. */
  fix?: string
}

/** Something that works as it should. */
export function well(part: CheckedPart, message: string): DaemonFinding {
  return { part, state: 'ok', message }
}

/** Something a person has to look at. */
export function trouble(part: CheckedPart, message: string, fix: string): DaemonFinding {
  return { part, state: 'trouble', message, fix }
}

/** Something that could not be looked at. */
export function notChecked(part: CheckedPart, message: string): DaemonFinding {
  return { part, state: 'not_checked', message }
}
