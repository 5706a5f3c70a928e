import type { z } from 'zod'
import { ALL_KINDS, type FailureClass, KINDS } from '../../failure/failure.ts'
import { BACKOFF_NAMES } from '../../verdict/backoff.ts'
import { FAILOVERS } from '../../verdict/circumstances.ts'
import { PRESETS, type PresetName } from '../../verdict/presets/presets.ts'
import { table } from './table.ts'
import { choice, duration, tables, whole } from './value.ts'

/** Policies that can be named; `default` is the table in the documentation. */
export const PRESET_NAMES = ['default', ...(Object.keys(PRESETS) as PresetName[])] as const

const CLASSES = Object.keys(KINDS) as FailureClass[]
/** What a failure can be treated as. Rails and aborts are facts of our own. */
const TREATABLE = [
  'throttle',
  'transient',
  'timeout',
  'permanent',
  'unknown',
] as const satisfies FailureClass[]

const override = table({
  class: choice(CLASSES, 'The failure class it applies to.').optional(),
  kind: choice(ALL_KINDS, 'The failure kind it applies to; beats an override of the class.').optional(),
  treat_as: choice(
    TREATABLE,
    'Decide as if the failure had this class: `"permanent"` stops, `"transient"` retries.',
  ).optional(),
  max_retries: whole('Retry limit after such a failure, within what the call allows.', {
    least: 0,
  }).optional(),
  backoff: choice(BACKOFF_NAMES, 'How waits between its retries grow.').optional(),
  min_retry_budget: duration('Retry only with more than this left.', { least: '0s' }).optional(),
})

/** `[policy]` */
export const policy = table({
  preset: choice(
    PRESET_NAMES,
    'The policy: the default table, or one that reproduces another system.',
  ).prefault('default'),
  max_retries: whole('Retry limit of a call in process.', { least: 0 }).prefault(2),
  backoff: choice(BACKOFF_NAMES, 'How waits between retries of a call grow.').prefault('full_jitter'),
  min_retry_budget: duration(
    'Retry only with more than this left. Default: 30 s or a tenth of the budget, whichever is smaller.',
    { least: '0s' },
  ).optional(),
  failover: choice(
    FAILOVERS,
    'Whether a failure that may pass goes to another provider `first`, or only when retries did not help.',
  ).prefault('last'),
  override: tables(override, 'policy.override', 'Exceptions for failure classes and kinds.').prefault([]),
})
/** `[policy]` with defaults filled in and durations in milliseconds. */
export type PolicyConfig = z.output<typeof policy>
