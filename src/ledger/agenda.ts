/** The time span of an agenda, in steps of equal length. */
export interface AgendaQuery {
  /** Start of the span, epoch milliseconds. Operations due earlier count as overdue. */
  from: number
  /** Length of a step in milliseconds. */
  stepMs: number
  /** Number of steps; at most {@link MOST_STEPS}. Operations due after the last one count as later. */
  steps: number
}

/** How many scheduled operations are due when, and which providers others wait for. */
export interface Agenda {
  /** Due before the span, and not held. */
  overdue: number
  /** Due in each step. */
  due: readonly number[]
  /** Due after the span. */
  later: number
  /** Held operations, by the provider they wait for. */
  held: Readonly<Record<string, number>>
  /** Due within the span or later, by their only provider. Operations with no provider or several are not counted. */
  waiting: Readonly<Record<string, number>>
}

/** Maximum number of steps of an agenda. */
export const MOST_STEPS = 500
