import type { Capability } from './capability.ts'
import { namesIn } from './kind/names.ts'
import { paramProblems } from './param-problem.ts'

/** Parameters that fit, as the work gets them; or what is wrong with them, in words. */
export type CheckedParams<P> = { fits: true; params: P } | { fits: false; problems: readonly string[] }

/** Reads parameters by the schema of a capability. Never rejects; values that were given are not repeated. */
export async function checkParams<P>(
  capability: Pick<Capability<P>, 'params' | 'problems'>,
  given: unknown,
): Promise<CheckedParams<P>> {
  try {
    const parsed = await capability.params.safeParseAsync(given)
    if (!parsed.success) {
      const known = namesIn(capability.params)
      return { fits: false, problems: parsed.error.issues.flatMap(issue => paramProblems(issue, known)) }
    }
    const problems = capability.problems(parsed.data)
    return problems.length === 0 ? { fits: true, params: parsed.data } : { fits: false, problems }
  } catch (error) {
    // A schema may run code of the user.
    const message = error instanceof Error ? error.message : String(error)
    return { fits: false, problems: [`the schema could not read them: ${message}`] }
  }
}
