/** Which stretch of time an agenda covers, in steps of one length. */
export interface AgendaQuery {
  /** Where it begins, epoch milliseconds. What came due before counts as overdue. */
  from: number
  /** Length of a step in milliseconds. */
  stepMs: number
  /** How many steps; at most {@link MOST_STEPS}. What comes due behind the last one counts as later. */
  steps: number
}

/** How many scheduled operations come due when, and for which providers others wait. */
export interface Agenda {
  /** Due before it begins, and not held. */
  overdue: number
  /** Due in each step. */
  due: readonly number[]
  /** Due behind its end. */
  later: number
  /** Held, by the provider that they wait for. */
  held: Readonly<Record<string, number>>
  /** Due in its time or later, by their only provider; operations with none or several are not in it. */
  waiting: Readonly<Record<string, number>>
}

/** Steps that one agenda may have. */
export const MOST_STEPS = 500
