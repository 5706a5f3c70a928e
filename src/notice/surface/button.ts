/** What a button does. */
export type PressAction = 'read' | 'snooze'

const TITLES: Readonly<Record<PressAction, string>> = { read: 'Mark as read', snooze: 'Snooze 1 h' }

/** What a button carries: its action and the id of its message, which nobody can guess. */
const VALUE = /^(?<action>read|snooze):(?<message>[0-9a-f]{24})$/

/** The buttons of a message that needs action. */
export function buttonsOf(message: string): { title: string; value: string }[] {
  return Object.entries(TITLES).map(([action, title]) => ({ title, value: `${action}:${message}` }))
}

/** Reads what a button carries; undefined if it is none of ours. */
export function readButton(value: unknown): { action: PressAction; message: string } | undefined {
  const groups = typeof value === 'string' ? VALUE.exec(value)?.groups : undefined
  return groups as { action: PressAction; message: string } | undefined
}
