import { z } from 'zod'
import { type BudgetConfig, budget } from './budget.ts'
import { type CapabilityConfig, capability } from './capability.ts'
import { type CouncilConfig, council } from './council.ts'
import { type GroupConfig, group } from './group.ts'
import { type HttpConfig, http } from './http.ts'
import { type PolicyConfig, policy } from './policy.ts'
import { type PoolConfig, pool } from './pool.ts'
import { type PriceConfig, price } from './price.ts'
import { type ProviderConfig, provider } from './provider.ts'
import { olderProvider } from './providers.ts'
import { type ProxyConfig, proxy } from './proxy.ts'
import { type QueueConfig, queue } from './queue.ts'
import { type RedactConfig, redact } from './redact.ts'
import { type ScheduleConfig, schedule } from './schedule.ts'
import { type SignatureConfig, signature } from './signature.ts'
import { type SurfaceConfig, surface } from './surface.ts'
import { type UpstreamConfig, upstream } from './upstream.ts'
import { tables } from './value.ts'
import { type WorkflowConfig, workflow } from './workflow.ts'

/** Everything mulligan.toml may contain. A new table is one more file in this folder and a line here. */
export const TABLES = {
  provider: tables(
    provider,
    'provider',
    'Something that can be exhausted or unhealthy on its own: a vendor account, a CLI with its login, a service.',
  ).prefault([]),
  pool: tables(pool, 'pool', 'Providers that can serve the same call, in order of preference.').prefault([]),
  policy: policy
    .describe('What to do about failures, unless a call, capability or provider says otherwise.')
    .prefault({}),
  budget: budget
    .describe(
      'Spending ceilings over all providers. At a ceiling, no provider is called until the day or month ends.',
    )
    .prefault({}),
  price: tables(price, 'price', 'What the tokens of a model cost, for `openMulligan`.').prefault([]),
  council: tables(council, 'council', 'Several providers that answer the same question.').prefault([]),
  queue: queue.describe('Stored operations and how they run.').prefault({}),
  http: http.describe('The HTTP API of the daemon.').prefault({}),
  redact: redact
    .describe('What is hidden in records, logs and answers, besides known forms of secrets.')
    .prefault({}),
  proxy: proxy.describe('The model proxy: one base URL for every agent.').prefault({}),
  capability: tables(
    capability,
    'capability',
    'A named thing that can run again from its stored parameters.',
  ).prefault([]),
  signature: tables(
    signature,
    'signature',
    'A failure that the catalogue does not know, and what it is. `error_signatures` of a provider is the short form.',
  ).prefault([]),
  schedule: tables(
    schedule,
    'schedule',
    'Operations that the daemon submits on a cron schedule: exactly one per time, even with several daemons.',
  ).prefault([]),
  surface: tables(
    surface,
    'surface',
    'A place where people see what needs them: a chat, a note, an issue tracker, a webhook, a program.',
  ).prefault([]),
  upstream: tables(
    upstream,
    'upstream',
    'An MCP server that `mulligan mcp wrap` stands in front of.',
  ).prefault([]),
  workflow: tables(
    workflow,
    'workflow',
    'Steps that depend on each other: each runs a capability or asks a person or an agent, and can wait without failing the run.',
  ).prefault([]),
  group: tables(
    group,
    'group',
    'Agent runs that share agents, limits and fate: a usage limit that one of them hits holds the others.',
  ).prefault([]),
} as const

/** The key of each table in {@link Config}. */
export const TARGETS = {
  provider: 'providers',
  pool: 'pools',
  policy: 'policy',
  budget: 'budget',
  price: 'prices',
  council: 'councils',
  queue: 'queue',
  http: 'http',
  redact: 'redact',
  proxy: 'proxy',
  capability: 'capabilities',
  signature: 'signatures',
  schedule: 'schedules',
  surface: 'surfaces',
  upstream: 'upstreams',
  workflow: 'workflows',
  group: 'groups',
} as const satisfies Record<keyof typeof TABLES, keyof Config>

/** The effective config: names in camelCase, durations in milliseconds, defaults filled in. */
export interface Config {
  /** `[[provider]]`, in the order of the file. */
  providers: ProviderConfig[]
  /** `[[pool]]`. */
  pools: PoolConfig[]
  /** `[policy]`. */
  policy: PolicyConfig
  /** `[budget]`. */
  budget: BudgetConfig
  /** `[[price]]`. */
  prices: PriceConfig[]
  /** `[[council]]`. */
  councils: CouncilConfig[]
  /** `[queue]`. */
  queue: QueueConfig
  /** `[http]`. */
  http: HttpConfig
  /** `[redact]`. */
  redact: RedactConfig
  /** `[proxy]`. */
  proxy: ProxyConfig
  /** `[[capability]]`. */
  capabilities: CapabilityConfig[]
  /** `[[signature]]`, in the order of the file. */
  signatures: SignatureConfig[]
  /** `[[schedule]]`. */
  schedules: ScheduleConfig[]
  /** `[[surface]]`. */
  surfaces: SurfaceConfig[]
  /** `[[upstream]]`, in the order of the file. */
  upstreams: UpstreamConfig[]
  /** `[[workflow]]`. */
  workflows: WorkflowConfig[]
  /** `[[group]]`. */
  groups: GroupConfig[]
}

/** The keys that are read; all others are mistakes. `[[providers]]` is turned into `[[provider]]` before. */
export const configSchema = z.strictObject(TABLES)

/** What a file may contain. */
export const fileSchema = z.strictObject({
  ...TABLES,
  providers: tables(
    olderProvider,
    'providers',
    'Providers in the layout of an older system; use `[[provider]]` for anything new.',
  ).optional(),
})
