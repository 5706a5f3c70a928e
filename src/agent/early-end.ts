import type { RailKind } from '../failure/context.ts'
import type { Failure } from '../failure/failure.ts'

/** Why a run was ended early. */
export type EarlyEnd =
  | { by: 'rail'; rail: RailKind }
  /** It was stuck in its own retry loop. */
  | { by: 'watch'; cause: Failure | null }
  /** The caller's deadline. */
  | { by: 'deadline' }
  | { by: 'caller' }
