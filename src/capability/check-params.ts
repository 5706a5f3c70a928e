import type { Capability } from './capability.ts'
import { paramNames } from './kind/param-names.ts'
import { paramProblems } from './param-problem.ts'
import { isEnvelope } from './secret/envelope.ts'
import { Mask } from './secret/mask.ts'
import type { Secrets } from './secret/secrets.ts'
import { referenceOf } from './template.ts'

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

/** Parameters that can be stored with an operation, or what is wrong with them. */
export type Admitted =
  | { admitted: true /** As they are stored. */; params: unknown /** The same as JSON text. */; text: string }
  | { admitted: false; problems: readonly string[] }

/**
 * Checks the parameters of a new or edited operation and seals its secrets. Checks their JSON, because that is what a run will
 * read. Synchronous unless the schema is asynchronous. Secrets that are already sealed, and references, are trusted until the
 * run. Throws a {@link SecretKeyError} if there is no usable key.
 * @param givenText the JSON text of what is given, if it was already made
 */
export function admitParams(
  capability: Capability,
  given: unknown,
  secrets: Secrets,
  givenText?: string,
): Admitted | Promise<Admitted> {
  let text: string
  let params: unknown
  try {
    text = givenText ?? JSON.stringify(given ?? {})
    params = JSON.parse(text)
  } catch (error) {
    return { admitted: false, problems: [`they must be JSON: ${(error as Error).message}`] }
  }
  const malformed = capability.secrets.filter(name => isMalformedReference((params as Params)?.[name]))
  if (malformed.length > 0)
    return {
      admitted: false,
      problems: malformed.map(name => `${name}: must name a variable after "env:", such as "env:API_KEY"`),
    }
  const checked = checkParams(capability, params)
  return checked instanceof Promise
    ? checked.then(later => decide(capability, params, text, later, secrets))
    : decide(capability, params, text, checked, secrets)
}

function decide(
  capability: Capability,
  params: unknown,
  text: string,
  checked: CheckedParams<unknown>,
  secrets: Secrets,
): Admitted {
  const problems = checked.fits ? [] : problemsWithoutTrusted(capability, params, checked.problems)
  if (problems.length === 0) {
    const sealed = secrets.seal(capability, params)
    // If nothing is secret, the checked text is the one to store.
    return { admitted: true, params: sealed, text: sealed === params ? text : JSON.stringify(sealed) }
  }
  const mask = new Mask(capability.secrets.map(name => (params as Params)?.[name]))
  return { admitted: false, problems: problems.map(problem => mask.text(problem)) }
}

type Params = Record<string, unknown> | null | undefined

function problemsWithoutTrusted(
  { secrets }: Capability,
  params: unknown,
  problems: readonly string[],
): string[] {
  const trusted = secrets.filter(name => {
    const value = (params as Params)?.[name]
    return isEnvelope(value) || referenceOf(value) !== undefined
  })
  return problems.filter(problem => !trusted.some(name => isAbout(problem, name)))
}

function isMalformedReference(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('env:') && referenceOf(value) === undefined
}

function isAbout(problem: string, name: string): boolean {
  return [':', '.', '['].some(end => problem.startsWith(`${name}${end}`))
}
