import type { z } from 'zod'
import { BACKOFF_NAMES } from '../../verdict/backoff.ts'
import { table } from './table.ts'
import { choice, duration, flag, list, plainText, text, whole } from './value.ts'

const prune = table({
  succeeded: duration('Age at which succeeded operations are forgotten.').prefault('30d'),
  dead: duration('Age at which dead operations are forgotten.').prefault('90d'),
  events: duration(
    'Age at which events of the queue, of capabilities and of providers are forgotten. Those of an operation go with it.',
    { least: '1h' },
  ).prefault('30d'),
})

/** `[queue]` */
export const queue = table({
  enabled: flag('Whether what cannot work now is handed over to run later.').prefault(true),
  data: text(
    'Folder of the ledger, relative to this file. Default: `mulligan` in the state folder of the user (XDG).',
    'a folder, or "env:NAME"',
  ).optional(),
  budget: duration(
    'Time for tries in the process of the caller, before an operation is handed over.',
  ).prefault('20s'),
  backoff: choice(BACKOFF_NAMES, 'How the waits between retries of an operation grow.').prefault('adaptive'),
  max_retries: whole('Retries of an operation.', { least: 0 }).prefault(5),
  retry_for: duration(
    'Retries end this long after the first failure, not counting time waited for others, spent running, or without a runner. Default: 30m, and for each retry beyond 5 the wait before it.',
  ).optional(),
  max_snoozes: whole('How often an operation may wait for a limit to lift.', { least: 0 }).prefault(20),
  max_wait: duration('Longest time of all these waits together.').prefault('35d'),
  max_parked: duration('How long an operation waits for a person before it expires.').prefault('30d'),
  max_params_bytes: whole('Parameters of an operation above this many bytes of JSON are refused.').prefault(
    1_048_576,
  ),
  max_result_bytes: whole('Of a result above this many bytes of JSON only the beginning is kept.').prefault(
    16_777_216,
  ),
  concurrency: whole('Operations that run at the same time.').prefault(4),
  lease: duration('How long a runner may be silent before another takes over.', { least: '1s' }).prefault(
    '1m',
  ),
  durability: choice(
    ['normal', 'full'],
    '`"normal"` survives a crash of any process, `"full"` also a loss of power, at the price of a disk flush per change.',
  ).prefault('normal'),
  prune: prune.describe('When history is forgotten.').prefault({}),
  modules: list(
    plainText('A module', 'the path of a module'),
    'Modules that register capabilities, relative to this file.',
  ).prefault([]),
})
/** `[queue]` as it is in force: defaults filled in, durations in milliseconds. */
export type QueueConfig = z.output<typeof queue>
