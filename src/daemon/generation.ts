import { Secrets } from '../capability/secret/secrets.ts'
import type { TrustedConfig } from '../config/loaded.ts'
import type { Engine } from '../engine/engine.ts'
import type { InForce } from '../gateway/http/facilities.ts'
import { isDelivery } from '../ledger/delivery-name.ts'
import { isLedgerError } from '../ledger/error.ts'
import type { Notice } from '../ledger/notice.ts'
import { LedgerTroubleSender } from '../notice/ledger-trouble-sender.ts'
import { deliveryCapabilities, NoticeService } from '../notice/notice-service.ts'
import { listenForPresses } from '../notice/press/from-config.ts'
import { surfaceHostOf } from '../notice/surface-host.ts'
import { tellingRuleOf } from '../notice/telling-rule.ts'
import type { NodeHealth as Health } from '../process/node-health.ts'
import type { HealthEvent } from '../provider/event.ts'
import { checkConfig } from '../queue/config-problems.ts'
import { schedulesOf } from '../queue/cron-from-config.ts'
import type { Queue } from '../queue/queue.ts'
import { problemInWords, type QueueProblem } from '../queue/queue-deps.ts'
import type { Runner } from '../queue/runner.ts'
import { ServedProviders } from '../queue/served-providers.ts'
import type { StoredLedger } from '../queue/stored-ledger.ts'
import { orAborted } from '../time/or-aborted.ts'
import type { Time } from '../time/time.ts'
import { workflowsOf } from '../workflow/from-config.ts'
import type { WorkflowRegistry } from '../workflow/registry.ts'
import { ClockWatch } from './clock-watch.ts'
import { actingPartsOf, healthOf, type Parts } from './config-parts.ts'
import { OWN_CAPABILITIES, queueOf, registryOf } from './config-queue.ts'
import type { LoggingHost } from './host.ts'
import type { Logger } from './log.ts'
import { upkeep } from './upkeep.ts'
import { healthEventInWords } from './words/health-words.ts'

/** Everything made from one load of the config. A reload makes another one beside it. */
export interface Generation extends InForce {
  loaded: TrustedConfig
  /** Policies and signatures of the config. */
  policy: Parts['policy']
  classify: Parts['classify']
  prices: Parts['prices']
  health: Health
  queue: Queue
  runner: Runner
  /** Makes notices from events, and submits messages for surfaces. */
  notices: NoticeService
  /** The workflows that can be started. */
  workflows: WorkflowRegistry
  capabilities: readonly string[]
  stop: AbortController
  /** Upkeep next to operations; ends with `stop`. */
  upkeep: Promise<void>
}

/** What outlives a {@link Generation}. */
export interface GenerationDeps {
  /** The data folder. */
  folder: string
  ledger: StoredLedger
  engine: Engine
  terminal: LoggingHost
  time: Time
  log: Logger
  /** Ends loading of modules, which are user code and may take forever. */
  signal: AbortSignal
}

/** Makes everything of a config, and starts it. If it throws, everything it started has stopped. */
export async function beginGeneration(
  loaded: TrustedConfig,
  deps: GenerationDeps,
  { reload }: { reload: boolean },
): Promise<Generation> {
  const { folder, ledger, engine, terminal, time, log, signal } = deps
  await checkConfig(loaded, { ...terminal, folder })
  const parts = actingPartsOf(loaded, terminal)
  const registry = await orAborted(registryOf(parts, terminal, { reload }), signal)
  const telling = tellingRuleOf(loaded.config)
  const { surfaces } = telling
  const host = surfaceHostOf(loaded, terminal, time)
  const stop = new AbortController()
  const ledgerTrouble = new LedgerTroubleSender({
    surfaces,
    host,
    signal: stop.signal,
    onError: (error, surface) =>
      log.error(
        { component: 'notice', err: error },
        `cannot tell surface ${surface} that the ledger is in trouble`,
      ),
  })
  const workflows = await orAborted(workflowsOf(loaded, registry, { cwd: terminal.cwd, reload }), signal)
  for (const capability of deliveryCapabilities(surfaces, { ledger, host }))
    registry.add(capability, '[[surface]]')
  const cron = await schedulesOf(loaded, registry, new Secrets({ folder, env: terminal.env }))
  const served = new ServedProviders({
    ledger,
    health: () => health,
    onError: error => log.error({ component: 'health', err: error }, 'cannot record that a provider serves'),
  })
  const onHealth = (event: HealthEvent) => {
    logHealth(event, log)
    served.onEvent(event)
  }
  const health = healthOf(parts, ledger, terminal, { time, onHealth })
  const onProblem = (problem: QueueProblem) => {
    logProblem(problem, log)
    if (problem.about === 'queue' && isLedgerError(problem.error)) void ledgerTrouble.send(problem.error)
  }
  const queue = queueOf(parts, { folder, ledger, engine, health, registry, time, onProblem }, terminal)
  try {
    const runner = queue.runner({ concurrency: loaded.config.queue.concurrency, cron })
    await runner.start()
    const capabilities = [...registry]
      .filter(capability => !OWN_CAPABILITIES.includes(capability.name) && !isDelivery(capability))
      .map(({ name }) => name)
      .sort()
    const notices = new NoticeService({
      ledger,
      engine,
      ...telling,
      time,
      onError: error => log.error({ component: 'notice', err: error }, 'cannot make or send notices'),
      onUntold: notice => logUntold(notice, log),
    })
    await notices.start()
    const presses = listenForPresses(surfaces, host, {
      ledger,
      time,
      signal: stop.signal,
      onError: error =>
        log.warn({ component: 'notice', err: error }, 'cannot hear presses of buttons; trying again'),
    })
    const clock = new ClockWatch(folder)
    clock.look()
    const prompting = { agents: parts.agents, cwd: terminal.cwd }
    const { policy, classify, prices } = parts
    const made = {
      loaded,
      policy,
      classify,
      prices,
      health,
      queue,
      runner,
      notices,
      workflows,
      prompting,
      capabilities,
      stop,
    }
    return {
      ...made,
      upkeep: Promise.all([
        presses,
        upkeep(made, { time, clock, log: log.child({ component: 'serve' }) }),
      ]).then(() => {}),
    }
  } catch (error) {
    // Parts that already started must not keep running after the error.
    await queue.close().catch(() => {})
    throw error
  }
}

function logHealth(event: HealthEvent, log: Logger): void {
  const isWarning =
    event.type === 'blocked' || event.type === 'breaker.opened' || event.type === 'fleet.reached'
  log[isWarning ? 'warn' : 'info']({ component: 'health', event: event.type }, healthEventInWords(event))
}

function logProblem(problem: QueueProblem, log: Logger): void {
  const error = problem.about === 'queue' ? { err: problem.error } : {}
  log.error({ component: 'queue', ...error }, problemInWords(problem))
}

/** An unknown failure that no surface reports. */
function logUntold(
  { id, type, title, fingerprint }: Pick<Notice, 'id' | 'type' | 'title' | 'fingerprint'>,
  log: Logger,
): void {
  if (type === 'unknown')
    log.warn(
      { component: 'notice', notice: id, fingerprint },
      `${title}; to label it: mulligan unknowns label ${fingerprint} CLASS`,
    )
}
