import { dirname } from 'node:path'
import { importModule } from '../capability/load-modules.ts'
import type { CapabilityRegistry } from '../capability/registry.ts'
import { ConfigError, type Problem } from '../config/error.ts'
import type { LoadedConfig, TrustedConfig } from '../config/loaded.ts'
import { positionOf } from '../config/position-of.ts'
import type { WorkflowConfig } from '../config/schema/workflow.ts'
import { present } from '../failure/present.ts'
import type { OnFail, Plan, PlanStep } from '../plan/plan.ts'
import { MissingCapability, problemsOfPlan } from '../plan/problems.ts'
import { stepOf } from './define.ts'
import { makeWorkflow } from './make.ts'
import { WorkflowRegistry } from './registry.ts'
import { fieldsOfCapability } from './schema-fields.ts'
import { isWorkflow } from './workflow.ts'

/** The workflows that a config declares. They were checked when the config was read. */
export function declaredWorkflows({ config }: Pick<LoadedConfig, 'config'>): WorkflowRegistry {
  const registry = new WorkflowRegistry()
  for (const table of config.workflows)
    registry.add(makeWorkflow(planFrom(table), { capabilities: new Map() }), '[[workflow]]')
  return registry
}

/**
 * All workflows of a config: each `[[workflow]]`, and those that its modules export. Throws a {@link ConfigError} with
 * the location of every mistake.
 * @param registry the capabilities of this process; steps are checked against them
 */
export async function workflowsOf(
  loaded: TrustedConfig,
  registry: CapabilityRegistry,
  { cwd, reload = false }: { cwd: string; reload?: boolean },
): Promise<WorkflowRegistry> {
  const workflows = declaredWorkflows(loaded)
  const base = loaded.file === undefined ? cwd : dirname(loaded.file)
  for (const module of loaded.config.queue.modules) {
    const exported = await importModule(module, { base, reload })
    const values = Object.values(exported).flatMap(value =>
      Array.isArray(value) ? (value as unknown[]) : [value],
    )
    for (const workflow of new Set(values.filter(isWorkflow))) workflows.add(workflow, `module ${module}`)
  }
  const problems = loaded.config.workflows.flatMap((table, index) =>
    problemsWith(loaded, table, index, registry),
  )
  if (problems.length > 0) throw new ConfigError(loaded.file ?? 'mulligan.toml', problems)
  return workflows
}

/** Problems that only show once the capabilities of modules are loaded. */
function problemsWith(
  loaded: TrustedConfig,
  table: WorkflowConfig,
  index: number,
  registry: CapabilityRegistry,
): Problem[] {
  const plan = planFrom(table)
  const found = problemsOfPlan(plan, name => {
    const capability = registry.get(name)
    return capability ? fieldsOfCapability(capability) : new MissingCapability(registry.names)
  })
  return found.map(({ step = 0, path, message }) => {
    const at = `workflows[${index}].step[${step}]`
    const [first = 'id'] = path
    return {
      ...positionOf(loaded, [`${at}.${first}`, `${at}.id`]),
      path: `workflow[${index}].step[${step}].${first}`,
      message: `workflow ${JSON.stringify(plan.name)}: step ${JSON.stringify(plan.steps[step]?.id)}: ${path.join('.')} ${message}`,
    }
  })
}

function planFrom({ name, description, params, step: steps }: WorkflowConfig): Plan {
  return {
    name,
    ...present({ description, params }),
    steps: steps.map(table => {
      // Keys that were not given are absent from the table, not undefined.
      const { optional, ...step } = table as typeof table & Omit<PlanStep, 'onFail'> & { onFail?: OnFail }
      return stepOf({ ...step, ...(optional ? { optional } : {}) })
    }),
  }
}
