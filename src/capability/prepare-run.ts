import { quote } from '../failure/quote.ts'
import { hiddenValues } from '../failure/secret/known.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { Capability } from './capability.ts'
import { checkParams } from './check-params.ts'
import type { CapabilityRegistry } from './registry.ts'
import { Mask } from './secret/mask.ts'
import type { Secrets } from './secret/secrets.ts'

/** The verdict on an operation that must wait. */
export type ParkVerdict = Extract<Verdict, { action: 'park' }>

/** What is needed to run an operation, or what it waits for. */
export type PreparedRun =
  | {
      ready: true
      capability: Capability
      /** As the work gets them: secrets in plain text, parsed by the schema. Never store or show them. */
      params: unknown
      /** Hides the secrets of this run in everything that comes out of it. */
      mask: Mask
    }
  | { ready: false; verdict: ParkVerdict }

/** What this process has. */
export interface PrepareRunDeps {
  /** The capabilities that can run here. */
  registry: Pick<CapabilityRegistry, 'get' | 'names'>
  /** Opens secret parameters. */
  secrets: Secrets
  /** The runner's environment. */
  env: Readonly<Record<string, string | undefined>>
}

/**
 * Prepares a stored operation for a run. Parks it, with the reason, if no retry could help: its capability no longer exists, its
 * parameters are no longer valid, a key or a variable is missing. Never rejects for these.
 */
export async function prepareRun(
  operation: { capability: string; params: unknown },
  { registry, secrets, env }: PrepareRunDeps,
): Promise<PreparedRun> {
  const capability = registry.get(operation.capability)
  if (!capability) return parked('runner', `no capability ${quote(operation.capability)} here`)
  const { name, variables } = capability
  const missing = variables.filter(variable => (env[variable] ?? '') === '')
  if (missing.length > 0)
    return parked(
      'secret',
      `capability ${quote(name)} needs ${missing.join(', ')} in the environment of the runner`,
    )
  const opened = secrets.open(capability, operation.params, env)
  if ('missing' in opened) return parked(opened.missing, `capability ${quote(name)}: ${opened.reason}`)
  const own = variables.map(variable => env[variable])
  // Includes other programs' secrets: this one may have found them in its environment.
  const mask = new Mask([...opened.secrets, ...own, ...hiddenValues()])
  const checked = await checkParams(capability, opened.params)
  if (checked.fits) return { ready: true, capability, params: checked.params, mask }
  const problems = mask.text(checked.problems.join('; '))
  return parked('parameters', `the parameters are no longer valid for capability ${quote(name)}: ${problems}`)
}

function parked(reason: ParkVerdict['for'], why: string): PreparedRun {
  const rule = `capability:${reason}`
  return { ready: false, verdict: { action: 'park', for: reason, origin: 'runner', reason: why, rule } }
}
