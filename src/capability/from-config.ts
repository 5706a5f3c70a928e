import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Problem, problemText } from '../config/error.ts'
import type { LoadedConfig, TrustedConfig } from '../config/loaded.ts'
import { positionOf } from '../config/position-of.ts'
import { branded, type Capability } from './capability.ts'
import { capabilityFrom, declareCapabilities } from './declare.ts'
import { CapabilityError, isCapabilityError } from './error.ts'
import type { RunAgent } from './kind/agent-capability.ts'
import { loadModules } from './load-modules.ts'
import { CapabilityRegistry } from './registry.ts'

/** What the capabilities of a config need. */
export interface ConfigCapabilityOptions {
  /** Runs agent CLIs. */
  runAgent: RunAgent
  /** Folder that paths are relative to if there is no config file. */
  cwd: string
  /** Reload changed modules. Default false. */
  reload?: boolean
}

/**
 * Everything that a config lets this process run: `[[capability]]`, and what its modules export. Throws a
 * {@link CapabilityError} that names the place in the config.
 */
export async function capabilitiesOf(
  loaded: TrustedConfig,
  { runAgent, cwd, reload = false }: ConfigCapabilityOptions,
): Promise<CapabilityRegistry> {
  const registry = new CapabilityRegistry()
  const options = { base: baseOf(loaded, cwd), runAgent, reload }
  const { queue, capabilities } = loaded.config
  for (const [index, module] of queue.modules.entries())
    await loadModules(registry, [module], options).catch(thrownAt(loaded, moduleAt(index)))
  for (const [index, table] of capabilities.entries())
    await declareCapabilities(registry, [table], options).catch(thrownAt(loaded, tableAt(index)))
  return registry
}

/** What can be known about the capabilities of a config without running its code. */
export interface KnownCapabilities {
  /** Fully declared capabilities. They cannot run: they serve to check parameters and to know what is secret. */
  registry: CapabilityRegistry
  /** Names whose parameters only a module knows. */
  ofModules: readonly string[]
  /** True if modules of `[queue]` define more, under names that only they know. */
  mayHaveMore: boolean
}

/** For processes that only read or submit: loads no code and starts nothing. Throws a {@link CapabilityError}. */
export async function knownCapabilities(loaded: LoadedConfig, cwd: string): Promise<KnownCapabilities> {
  const registry = new CapabilityRegistry()
  const options = { base: baseOf(loaded, cwd), runAgent: refuse }
  const { queue, capabilities } = loaded.config
  const ofModules: string[] = []
  for (const [index, table] of capabilities.entries()) {
    if (table.module !== undefined) ofModules.push(table.name)
    else
      await capabilityFrom(table, options)
        .then(capability => registry.add(inert(capability), '[[capability]]'))
        .catch(thrownAt(loaded, tableAt(index)))
  }
  return { registry, ofModules, mayHaveMore: queue.modules.length > 0 }
}

/** The same capability, unable to do anything. */
export function inert(capability: Capability): Capability {
  const { verification } = capability
  return branded({
    ...capability,
    verification: verification && { ...verification, check: refuse },
    run: refuse,
  })
}

function refuse(): never {
  throw new CapabilityError('a read-only command runs nothing')
}

/**
 * Problems that only show when capabilities are made from a config: a placeholder for a parameter that does not exist, a secret
 * in an argument, a missing module. Runs no module code, so problems that only code knows are not found.
 */
export async function capabilityProblems(loaded: LoadedConfig, cwd: string): Promise<Problem[]> {
  const base = baseOf(loaded, cwd)
  const problems: Problem[] = []
  const { queue, capabilities } = loaded.config
  for (const [index, module] of queue.modules.entries()) {
    const problem = problemOfModule(module, base)
    if (problem) problems.push(problemAt(loaded, moduleAt(index), problem))
  }
  const registry = new CapabilityRegistry()
  for (const [index, table] of capabilities.entries()) {
    const problem =
      table.module === undefined
        ? await declareCapabilities(registry, [table], { base, runAgent: async () => undefined }).then(
            () => undefined,
            (error: unknown) => messageOf(error),
          )
        : problemOfModule(table.module.split('#')[0] as string, base)
    if (problem) problems.push(problemAt(loaded, tableAt(index), problem))
  }
  return problems
}

/** A value of the config, as named in the file and in `Config`. */
interface Spot {
  path: string
  target: string
}

const moduleAt = (index: number): Spot => ({
  path: `queue.modules[${index}]`,
  target: `queue.modules[${index}]`,
})
const tableAt = (index: number): Spot => ({
  path: `capability[${index}]`,
  target: `capabilities[${index}].name`,
})

function baseOf({ file }: LoadedConfig, cwd: string): string {
  return file === undefined ? cwd : dirname(file)
}

function problemOfModule(module: string, base: string): string | undefined {
  const file = resolve(base, module)
  return statSync(file, { throwIfNoEntry: false })?.isFile()
    ? undefined
    : `module ${module}: there is no file ${file}`
}

function problemAt(loaded: LoadedConfig, { path, target }: Spot, message: string): Problem {
  return { ...positionOf(loaded, [target]), path, message }
}

function thrownAt(loaded: LoadedConfig, spot: Spot): (error: unknown) => never {
  return error => {
    throw new CapabilityError(problemText(problemAt(loaded, spot, messageOf(error))), { cause: error })
  }
}

function messageOf(error: unknown): string {
  if (!isCapabilityError(error)) throw error
  return error.message
}
