import type { Capability } from './capability.ts'
import { paramNames } from './kind/param-names.ts'
import { paramProblems } from './param-problem.ts'

/** Valid parameters as the work gets them, or what is wrong with them. */
export type CheckedParams<P> = { fits: true; params: P } | { fits: false; problems: readonly string[] }

type Checking<P> = Pick<Capability<P>, 'params' | 'problems'>

/** Asynchronous schemas. Most are not, and avoiding a promise saves time in every operation. */
const waiting = new WeakSet<object>()

/**
 * Parses parameters with a capability's schema; synchronous unless the schema is asynchronous. Never throws or rejects. Does not
 * repeat given values.
 */
export function checkParams<P>(
  capability: Checking<P>,
  given: unknown,
): CheckedParams<P> | Promise<CheckedParams<P>> {
  const { params: schema } = capability
  if (!waiting.has(schema))
    try {
      return judged(capability, schema.safeParse(given))
    } catch (error) {
      // Only trying shows that a schema is asynchronous.
      if ((error as Error)?.constructor?.name !== '$ZodAsyncError') return unreadable(error)
      waiting.add(schema)
    }
  return checkWaiting(capability, given)
}

async function checkWaiting<P>(capability: Checking<P>, given: unknown): Promise<CheckedParams<P>> {
  try {
    return judged(capability, await capability.params.safeParseAsync(given))
  } catch (error) {
    return unreadable(error)
  }
}

function judged<P>(
  capability: Checking<P>,
  parsed: ReturnType<Checking<P>['params']['safeParse']>,
): CheckedParams<P> {
  if (!parsed.success) {
    const known = paramNames(capability.params)
    return { fits: false, problems: parsed.error.issues.flatMap(issue => paramProblems(issue, known)) }
  }
  const problems = capability.problems(parsed.data)
  return problems.length === 0 ? { fits: true, params: parsed.data } : { fits: false, problems }
}

/** A schema may run user code, which may throw. */
function unreadable(error: unknown): { fits: false; problems: readonly string[] } {
  const message = error instanceof Error ? error.message : String(error)
  return { fits: false, problems: [`the schema could not parse them: ${message}`] }
}
