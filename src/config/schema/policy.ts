import type { z } from 'zod'
import { ALL_KINDS, type FailureClass, KINDS } from '../../failure/failure.ts'
import { BACKOFF_NAMES } from '../../verdict/backoff.ts'
import { PRESETS, type PresetName } from '../../verdict/presets/presets.ts'
import { table } from './table.ts'
import { choice, duration, tables, whole } from './value.ts'

/** Policies that can be named; `default` is the table of the documentation. */
export const PRESET_NAMES = ['default', ...(Object.keys(PRESETS) as PresetName[])] as const

const CLASSES = Object.keys(KINDS) as FailureClass[]
/** What a failure can be taken for. Rails and aborts are facts of ours. */
const TREATABLE = [
  'throttle',
  'transient',
  'timeout',
  'permanent',
  'unknown',
] as const satisfies FailureClass[]

const override = table({
  class: choice(CLASSES, 'The failures it is about, by class.').optional(),
  kind: choice(ALL_KINDS, 'The failures it is about, by kind; beats an override of the class.').optional(),
  treat_as: choice(
    TREATABLE,
    'Decide as if the failure were of this class: `"permanent"` stops, `"transient"` retries.',
  ).optional(),
  max_retries: whole('Retries after such a failure, within what the call allows.', { least: 0 }).optional(),
  backoff: choice(BACKOFF_NAMES, 'How the waits before its retries grow.').optional(),
  min_retry_budget: duration('A second try needs more than this to be left.', { least: '0s' }).optional(),
})

/** `[policy]` */
export const policy = table({
  preset: choice(
    PRESET_NAMES,
    'The table that decides: ours, or one that reproduces another system.',
  ).prefault('default'),
  max_retries: whole('Retries of a call in this process.', { least: 0 }).prefault(2),
  backoff: choice(BACKOFF_NAMES, 'How the waits between retries of a call grow.').prefault('full_jitter'),
  min_retry_budget: duration(
    'A second try needs more than this to be left. Default: the smaller of 30 s and a tenth of the budget.',
    { least: '0s' },
  ).optional(),
  override: tables(override, 'policy.override', 'Exceptions for classes and kinds of failures.').prefault([]),
})
/** `[policy]` as it is in force: defaults filled in, durations in milliseconds. */
export type PolicyConfig = z.output<typeof policy>
