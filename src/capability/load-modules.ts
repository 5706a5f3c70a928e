import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Capability, isCapability } from './capability.ts'
import { CapabilityError } from './error.ts'
import type { CapabilityRegistry } from './registry.ts'

/** Where modules are, and whether to reload them. */
export interface LoadOptions {
  /** Folder that relative paths start from: the config file's. */
  base: string
  /** Reload modules that changed since they were first loaded; what they import stays the same. Default false. */
  reload?: boolean
}

/**
 * Imports modules and registers the capabilities they export, by name or as default, alone or in a list. Throws a
 * {@link CapabilityError} that names the module.
 */
export async function loadModules(
  registry: CapabilityRegistry,
  modules: readonly string[],
  options: LoadOptions,
): Promise<void> {
  for (const module of modules) {
    const exported = await importModule(module, options)
    const found = capabilitiesIn(module, exported)
    if (found.length === 0 && !Object.values(exported).some(isWorkflowLike))
      throw new CapabilityError(
        `module ${module}: exports no capability; write: export const work = defineCapability({ … })`,
      )
    for (const capability of found) registry.add(capability, `module ${module}`)
  }
}

/** The exports of a module. */
export async function importModule(
  module: string,
  { base, reload = false }: LoadOptions,
): Promise<Record<string, unknown>> {
  const file = resolve(base, module)
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat?.isFile()) throw new CapabilityError(`module ${module}: there is no file ${file}`)
  const url = pathToFileURL(file)
  if (reload) url.searchParams.set('changed', String(stat.mtimeMs))
  try {
    return (await import(url.href)) as Record<string, unknown>
  } catch (error) {
    const { name, message } = error instanceof Error ? error : { name: 'it threw', message: String(error) }
    throw new CapabilityError(`module ${module}: cannot be loaded: ${name}: ${message}`, { cause: error })
  }
}

function capabilitiesIn(module: string, exported: Record<string, unknown>): Capability[] {
  const found = Object.entries(exported).flatMap(([name, value]) => {
    const values = name === 'default' && Array.isArray(value) ? (value as unknown[]) : [value]
    const unmarked = values.find(looksLikeCapability)
    if (unmarked)
      throw new CapabilityError(
        `module ${module}: the export ${name} looks like a capability, but is a plain object: wrap it in defineCapability(…)`,
      )
    return values.filter(isCapability)
  })
  // The same capability may be exported twice, by name and as default.
  return [...new Set(found)]
}

/** Workflows are defined in a later folder; here only their mark is known. */
function isWorkflowLike(value: unknown): boolean {
  return (value as { kind?: unknown } | null | undefined)?.kind === Symbol.for('mulligan.workflow')
}

function looksLikeCapability(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || isCapability(value)) return false
  const { name, run, params } = value as Record<string, unknown>
  return typeof name === 'string' && typeof run === 'function' && params !== undefined
}
