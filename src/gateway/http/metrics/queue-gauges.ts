import type { Ledger } from '../../../ledger/ledger.ts'
import { DISPOSITIONS } from '../../../ledger/notice.ts'
import type { ProviderStatus } from '../../../provider/provider-status.ts'
import type { QueueStatus } from '../../../queue/status.ts'
import { CANCEL_REASONS, PARK_REASONS } from '../../../verdict/verdict.ts'
import { runningProxy } from '../../proxy/ask-proxy.ts'
import type { HoldJson } from '../../proxy/hold-shape.ts'
import type { Facilities } from '../facilities.ts'
import { type Family, gauge, type Sample } from './series.ts'

/** Most notices, deliveries and unknowns that are counted. */
const MOST_COUNTED = 1_000
/** Most providers shown; further ones are left out. */
const MOST_PROVIDERS = 200
const BREAKER_STATES = ['closed', 'half_open', 'open'] as const

/** The current state; without a queue in force, only that the daemon is not ready. */
export async function queueGauges(facilities: Facilities): Promise<Family[]> {
  const found = facilities.current()
  const ready = gauge('mulligan_ready', 'Whether the daemon runs operations.', [
    { labels: {}, value: found ? 1 : 0 },
  ])
  if (!found) return [ready]
  const [status, size, waiting, proxy] = await Promise.all([
    found.queue.status(),
    facilities.ledger.size(),
    waitingFor(facilities.ledger),
    runningProxy(facilities.folder),
  ])
  const now = facilities.time.now()
  return [
    ready,
    ...operationGauges(status, now),
    gauge(
      'mulligan_ledger_bytes',
      'Size of the ledger: its file, or its tables on the server.',
      one(size.bytes),
    ),
    ...waiting,
    ...providerGauges(status.providers, now),
    gauge(
      'mulligan_proxy_holds',
      'Questions that wait in the model proxy, by the program that asks.',
      holdsByClient(proxy?.holds ?? []),
    ),
  ]
}

/** Most programs that are told apart. */
const MOST_CLIENTS = 50

function holdsByClient(holds: readonly HoldJson[]): Sample[] {
  const counts = new Map<string, number>()
  for (const { client } of holds) {
    const shown = counts.has(client) || counts.size < MOST_CLIENTS ? client : 'other'
    counts.set(shown, (counts.get(shown) ?? 0) + 1)
  }
  return [...counts].map(([client, value]) => ({ labels: { client }, value }))
}

function operationGauges(status: QueueStatus, now: number): Family[] {
  const { retryQueue, running, parked, succeeded, dead, deadAs, due, held, runners, pauses } = status
  const byState = { scheduled: retryQueue.queued, running, parked: parked.total, succeeded, dead }
  const { nextRetryAt } = retryQueue
  const lagMs = due > 0 && nextRetryAt !== undefined ? Math.max(0, now - nextRetryAt) : 0
  return [
    gauge('mulligan_operations', 'Operations in the ledger by state.', byLabel('state', byState)),
    gauge(
      'mulligan_operations_parked',
      'Parked operations by what they wait for.',
      byLabel('for', withZeros(PARK_REASONS, parked.for)),
    ),
    gauge(
      'mulligan_operations_dead',
      'Dead operations in the ledger by how they ended.',
      byLabel('as', withZeros(CANCEL_REASONS, deadAs)),
    ),
    gauge('mulligan_operations_due', 'Operations that could run now.', one(due)),
    gauge(
      'mulligan_operations_held',
      'Operations held until a provider can serve, or by another engine.',
      one(held),
    ),
    gauge('mulligan_due_lag_seconds', 'How long the oldest due operation has been due.', one(lagMs / 1_000)),
    gauge('mulligan_runners', 'Live runners in all processes.', one(runners.length)),
    gauge('mulligan_queue_paused', 'Whether the whole queue is paused.', one(pauses.queue ? 1 : 0)),
  ]
}

async function waitingFor(ledger: Ledger): Promise<Family[]> {
  const page = { limit: MOST_COUNTED }
  const [unread, pending, failed, unknowns] = await Promise.all([
    Promise.all(
      DISPOSITIONS.map(async disposition => ({
        labels: { disposition },
        value: (await ledger.notices({ unread: true, disposition }, page)).items.length,
      })),
    ),
    ledger.deliveries({ state: 'pending' }, page),
    ledger.deliveries({ state: 'failed' }, page),
    ledger.unknowns({ labelled: false }, page),
  ])
  const upTo = `counted up to ${MOST_COUNTED}`
  return [
    gauge('mulligan_notices_unread', `Unread notices, ${upTo}.`, unread),
    gauge('mulligan_deliveries', `Pending and failed deliveries to surfaces, ${upTo} each.`, [
      { labels: { state: 'pending' }, value: pending.items.length },
      { labels: { state: 'failed' }, value: failed.items.length },
    ]),
    gauge('mulligan_unknowns', `Unknown failures without a label, ${upTo}.`, one(unknowns.items.length)),
  ]
}

function providerGauges(all: readonly ProviderStatus[], now: number): Family[] {
  const providers = all.slice(0, MOST_PROVIDERS)
  const each = (value: (status: ProviderStatus) => number): Sample[] =>
    providers.map(status => ({ labels: { provider: status.id }, value: value(status) }))
  const windows = providers.flatMap(({ id, windows: used }) =>
    used.map(use => ({ labels: { provider: id, window: use.window, unit: use.unit }, use })),
  )
  const blocked = providers.flatMap(({ id, admits, until }) =>
    admits || until === undefined
      ? []
      : [{ labels: { provider: id }, value: Math.max(0, until - now) / 1_000 }],
  )
  return [
    gauge(
      'mulligan_provider_admits',
      'Whether a provider takes calls now.',
      each(({ admits }) => (admits ? 1 : 0)),
    ),
    gauge(
      'mulligan_provider_admits_in_seconds',
      'Time until a provider takes calls again, if known.',
      blocked,
    ),
    gauge(
      'mulligan_provider_paused',
      'Whether a person has paused the provider.',
      each(({ paused }) => (paused ? 1 : 0)),
    ),
    gauge(
      'mulligan_provider_breaker',
      'State of the breaker: 1 for the current state, else 0.',
      providers.flatMap(({ id, breaker }) =>
        BREAKER_STATES.map(state => ({
          labels: { provider: id, state },
          value: breaker.state === state ? 1 : 0,
        })),
      ),
    ),
    gauge(
      'mulligan_provider_blocks',
      'Blocks on a provider, its quota, models and login.',
      each(({ blocks }) => blocks.length),
    ),
    gauge(
      'mulligan_provider_login_refused',
      'Whether the login was refused and has not worked since.',
      each(({ loginRefused }) => (loginRefused ? 1 : 0)),
    ),
    gauge(
      'mulligan_provider_running',
      'Running calls of this daemon.',
      each(({ running }) => running),
    ),
    gauge(
      'mulligan_provider_window_used',
      'Usage of a window in its unit; for usd, the spend.',
      windows.map(({ labels, use }) => ({ labels, value: use.used })),
    ),
    gauge(
      'mulligan_provider_window_limit',
      'Limit of a window in its unit.',
      windows.map(({ labels, use }) => ({ labels, value: use.limit })),
    ),
  ]
}

function one(value: number): Sample[] {
  return [{ labels: {}, value }]
}

function byLabel(name: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([label, value]) => ({ labels: { [name]: label }, value }))
}

function withZeros<K extends string>(
  names: readonly K[],
  values: Partial<Record<K, number>>,
): Record<string, number> {
  return Object.fromEntries(names.map(name => [name, values[name] ?? 0]))
}
