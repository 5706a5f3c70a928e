/** How long each part of the history is kept, as flags: durations such as `14d`. */
export const RETENTION_OPTIONS = {
  succeeded: { type: 'string' },
  dead: { type: 'string' },
  events: { type: 'string' },
  workflows: { type: 'string' },
} as const
