import type { Prices } from '../call/price.ts'
import type { HookProblem } from '../capability/hooks.ts'
import type { CapabilityRegistry } from '../capability/registry.ts'
import type { Secrets } from '../capability/secret/secrets.ts'
import type { Engine } from '../engine/engine.ts'
import type { Classifier } from '../failure/classifier.ts'
import type { ClassifyContext } from '../failure/context.ts'
import { present } from '../failure/present.ts'
import { LearnedSignatures } from '../ledger/learned-signatures.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Fence } from '../ledger/operation.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import type { HealthEvent } from '../provider/event.ts'
import type { PoolSettings } from '../provider/settings.ts'
import { realTime, type Time } from '../time/time.ts'
import type { Policies } from '../verdict/decide.ts'
import type { PolicyLike, PolicyProblem } from '../verdict/policy.ts'
import { type QueueSettings, type ResolvedSettings, resolveSettings } from './settings.ts'
import type { Attended } from './startable.ts'

/** Something that went wrong outside the work: the work continues, and the operator should know. */
export type QueueProblem =
  | { about: 'policy'; problem: PolicyProblem }
  | { about: 'hook'; problem: HookProblem }
  /** The ledger could not be used, or the queue itself failed. */
  | { about: 'queue'; error: unknown; operation?: string }

/** The parts of a queue. */
export interface QueueParts extends QueueSettings {
  /** The durable record. */
  ledger: Ledger
  /** Knows what is due and who claimed it, on the same ledger. */
  engine: Engine
  /** The capabilities that this process can run. */
  registry: CapabilityRegistry
  /** Seals and opens secret parameters. */
  secrets: Secrets
  /** Health of the providers. Default: one that shares its state through the ledger. */
  health?: Health
  /** The providers of each pool, by its name. Default: none. */
  pools?: ReadonlyMap<string, readonly string[]>
  /** In which order each pool is asked, by its name; a session stays where it was. Default: as listed. */
  routings?: ReadonlyMap<string, Pick<PoolSettings, 'routing' | 'models'>>
  /** The policy of a provider; the capability's policy takes precedence. Default: none. */
  providerPolicy?: (provider: string) => Policies | undefined
  /** Policy for all failures; takes precedence over the default one. Default: none. */
  policy?: Policies
  /** More for the classifier: signatures, the time zone of clock times. */
  classify?: Pick<ClassifyContext, 'signatures' | 'timeZone'>
  /** What answers cost that work returns without a cost of its own. Default: unknown. */
  prices?: Prices
  /** The variables that `env:NAME` refers to. Default: the process environment. */
  env?: Readonly<Record<string, string | undefined>>
  /** Called with what went wrong outside the work. Default: a process warning. */
  onProblem?: (problem: QueueProblem) => void
  /** Default: this machine's clock. */
  time?: Time
  /** In [0, 1). Default Math.random. */
  random?: () => number
  /**
   * Workflows that runners of this queue continue, even if other processes started them. Default: those that this queue starts.
   */
  workflows?: readonly Attended[]
  /** Names this process among runners; unique, even among past ones. Default: random. */
  runnerId?: string
}

/** What every part of the queue uses: the given parts and the defaults. */
export interface QueueDeps
  extends Required<Pick<QueueParts, 'ledger' | 'engine' | 'registry' | 'secrets' | 'health' | 'pools'>>,
    Required<Pick<QueueParts, 'env' | 'time' | 'random' | 'runnerId' | 'classify'>> {
  settings: ResolvedSettings
  prices: Prices | undefined
  routings: QueueParts['routings']
  /** Runs that this process has under way: any other lease in its name is of a run that it does not know of. */
  underWay: Set<Fence>
  /** The signatures of `classify`, and those of the labels in the ledger. */
  learned: LearnedSignatures
  /** All policies for a failure of this provider, the most specific first. */
  policies(capability: { policy?: Policies } | undefined, provider: string | undefined): readonly PolicyLike[]
  report(problem: QueueProblem): void
}

/** Fills in defaults. */
export function queueDepsOf(
  parts: QueueParts,
  randomId: () => string,
  onHealth: (event: HealthEvent) => void = () => {},
): QueueDeps {
  const { ledger, engine, registry, secrets, time = realTime, random = Math.random } = parts
  const report = parts.onProblem ?? warn
  const given = parts.classify ?? {}
  const { signatures } = given
  const learned = signatures instanceof LearnedSignatures ? signatures : new LearnedSignatures(signatures)
  return {
    ledger,
    engine,
    registry,
    prices: parts.prices,
    routings: parts.routings,
    secrets,
    health: parts.health ?? new Health({ store: ledger.providers, time, random, onEvent: onHealth }),
    pools: parts.pools ?? new Map(),
    env: parts.env ?? process.env,
    time,
    random,
    runnerId: parts.runnerId ?? `${process.pid}-${randomId()}`,
    underWay: new Set(),
    learned,
    classify: {
      signatures: learned,
      // A getter, because spreading would read the zone at once.
      get timeZone() {
        return given.timeZone
      },
    },
    settings: resolveSettings(parts),
    policies: (capability, provider) => [
      ...listOf(capability?.policy),
      ...listOf(provider === undefined ? undefined : parts.providerPolicy?.(provider)),
      ...listOf(parts.policy),
    ],
    report: problem => {
      try {
        report(problem)
      } catch {
        // A listener must not be able to break a run.
      }
    },
  }
}

/** The classifier's context for a failure of this capability and provider. */
export function classifyContextOf(
  { classify: more, time, report }: Pick<QueueDeps, 'classify' | 'time' | 'report'>,
  capability: { classifier?: Classifier } | undefined,
  provider: string | undefined,
  model: string | undefined,
): ClassifyContext {
  const classifier = capability?.classifier
  return {
    ...more,
    now: time.now(),
    ...present({ provider, model }),
    ...(classifier && {
      classifier,
      onClassifierProblem: ({ classifier: policy, problem }) =>
        report({ about: 'policy', problem: { policy, member: 'classifier', problem } }),
    }),
  }
}

function listOf(policies: Policies | undefined): readonly PolicyLike[] {
  if (policies === undefined) return []
  return Array.isArray(policies) ? (policies as readonly PolicyLike[]) : [policies as PolicyLike]
}

function warn(problem: QueueProblem): void {
  process.emitWarning(problemInWords(problem), { code: 'MULLIGAN_QUEUE' })
}

/** One line for a log. */
export function problemInWords(problem: QueueProblem): string {
  switch (problem.about) {
    case 'policy':
      return problem.problem.member === 'classifier'
        ? `classifier ${JSON.stringify(problem.problem.policy)}: ${problem.problem.problem}`
        : `policy ${JSON.stringify(problem.problem.policy)}: ${problem.problem.member}: ${problem.problem.problem}`
    case 'hook':
      return `capability ${JSON.stringify(problem.problem.capability)}: ${problem.problem.hook}: ${problem.problem.problem}`
    case 'queue': {
      const { error, operation } = problem
      const where = operation === undefined ? 'the queue' : operation
      return `${where}: ${error instanceof Error ? error.message : String(error)}`
    }
  }
}
