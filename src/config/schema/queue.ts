import type { z } from 'zod'
import { BACKOFF_NAMES } from '../../verdict/backoff.ts'
import { table } from './table.ts'
import { choice, duration, flag, list, plainText, text, whole } from './value.ts'

const prune = table({
  succeeded: duration('Delete succeeded operations older than this.').prefault('30d'),
  dead: duration('Delete dead operations older than this.').prefault('90d'),
  events: duration(
    'Delete events of the queue, capabilities and providers older than this. Events of an operation are deleted with it.',
    { least: '1h' },
  ).prefault('30d'),
  workflows: duration(
    'Delete workflow runs that ended longer ago than this, with the results of their steps.',
  ).prefault('90d'),
})

/** `[queue]` */
export const queue = table({
  enabled: flag(
    'Whether work that cannot succeed now is kept and retried later. If not, `run`, a call that is handed over and the daemon make no second try later.',
  ).prefault(true),
  data: text(
    "Folder of the ledger, relative to this file. Default: `mulligan` in the user's state folder (XDG).",
    'a folder, or "env:NAME"',
  ).optional(),
  database: text(
    'Ledger on PostgreSQL instead of in the folder: `postgres://ROLE@HOST:5432/DATABASE`, with `?schema=NAME` unless it is `mulligan`. If it contains a password, use `env:NAME`.',
    'an address such as "postgres://role@host/database", or "env:NAME"',
  ).optional(),
  connections: whole(
    'Most connections of one process to the database, besides the one that listens.',
  ).prefault(8),
  budget: duration(
    "Time for tries in the caller's process, before a runner takes over the operation.",
  ).prefault('20s'),
  backoff: choice(BACKOFF_NAMES, 'How waits between retries of an operation grow.').prefault('adaptive'),
  max_retries: whole('Retry limit of an operation.', { least: 0 }).prefault(5),
  retry_for: duration(
    'Stop retrying this long after the first failure, not counting time spent running, held, snoozed, parked, or without a runner. Default: 30m, plus the wait before each retry beyond 5.',
  ).optional(),
  max_snoozes: whole('How often an operation may wait for a limit to lift.', { least: 0 }).prefault(20),
  max_wait: duration('Limit of the total of these waits.').prefault('35d'),
  max_parked: duration('How long a parked operation waits before it expires.').prefault('30d'),
  max_params_bytes: whole('Refuse parameters larger than this many bytes of JSON.').prefault(1_048_576),
  max_result_bytes: whole('Keep only the start of a result larger than this many bytes of JSON.').prefault(
    16_777_216,
  ),
  concurrency: whole('How many operations run at once.').prefault(4),
  lease: duration('How long a runner may be silent before another one takes over.', { least: '1s' }).prefault(
    '1m',
  ),
  durability: choice(
    ['normal', 'full'],
    '`"normal"` survives a crash of any process, `"full"` also a power loss, at the cost of a disk flush per change.',
  ).prefault('normal'),
  record_unknowns: flag(
    'Whether failures of `run`, `exec` and `council` that no rule recognises are recorded in the ledger, where people can label them.',
  ).prefault(true),
  prune: prune.describe('When history is deleted.').prefault({}),
  modules: list(
    plainText('A module', 'the path of a module'),
    'Modules that register capabilities, relative to this file.',
  ).prefault([]),
})
/** `[queue]` with defaults filled in and durations in milliseconds. */
export type QueueConfig = z.output<typeof queue>
