import { dirname } from 'node:path'
import type { LoadedConfig } from '../config/index.ts'
import { declareCapabilities } from './declare.ts'
import type { RunAgent } from './kind/agent-capability.ts'
import { loadModules } from './load-modules.ts'
import { CapabilityRegistry } from './registry.ts'

/** What the capabilities of a config are made within. */
export interface ConfigCapabilityOptions {
  /** Runs agent CLIs. */
  runAgent: RunAgent
  /** Folder that paths are relative to where there is no config file. */
  cwd: string
  /** Read changed modules anew. Default false. */
  reload?: boolean
}

/** Everything that a config lets this process run: `[[capability]]`, and what its modules export. */
export async function capabilitiesOf(
  { config, file }: LoadedConfig,
  { runAgent, cwd, reload = false }: ConfigCapabilityOptions,
): Promise<CapabilityRegistry> {
  const registry = new CapabilityRegistry()
  const base = file === undefined ? cwd : dirname(file)
  await loadModules(registry, config.queue.modules, { base, reload })
  await declareCapabilities(registry, config.capabilities, { base, runAgent, reload })
  return registry
}
