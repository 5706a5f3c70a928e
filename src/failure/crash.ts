import type { UsableContext } from './context.ts'
import type { Observation } from './observe/observation.ts'
import type { Candidate } from './precedence.ts'
import { anyOf, mayContain, prefilterOf } from './text/prefilter.ts'

/**
 * A code bug is permanent for its author. When a provider crashes, the cause is unknown: another may work, and a person should
 * look. A provider is what the caller, a config or a flag calls one, and every known agent CLI. An agent CLI crashes by any bug
 * of its own; what is only called a provider may be the caller's own program, whose exceptions say what to mend, so that only
 * the death of its runtime is a crash.
 */
export function asProvider(
  { process, texts }: Observation,
  matched: Candidate[],
  { provider }: UsableContext,
): Candidate[] {
  const isAgent = process?.agent !== undefined
  if (!isAgent && provider === undefined) return matched
  if (!matched.some(({ rule }) => MAY_BE_CRASH.has(rule.kind))) return matched
  const printed = texts.filter(({ where, late }) => !late && PRINTED.test(where))
  const hasPanicked = printed.some(({ value }) => says(value, PANIC))
  if (!process && !hasPanicked) return matched
  const hasDied = isAgent || hasPanicked || printed.some(({ value }) => says(value, DEATH))
  return matched.map(candidate => {
    const { rule } = candidate
    if ((hasDied && rule.kind === 'code_bug') || (hasPanicked && MEANT_BY_CODE.has(rule.kind)))
      return { ...candidate, rule: { ...rule, class: 'unknown', kind: 'crash' } }
    return rule.kind === 'command_failed' ? { ...candidate, rule: { ...rule, kind: 'unknown' } } : candidate
  })
}

/** Text that a program printed; an error object may come from the caller's own code. */
const PRINTED = /^(?:text|std(?:out|err))/
/** How Rust and Go report a panic. */
const PANIC = {
  needs: anyOf('panicked at', 'has overflowed', 'goroutine '),
  form: /^\s*thread '[^'\n]*'(?: \(\d+\))? (?:panicked at|has overflowed)|^(?:panic|fatal error): [\s\S]{0,2000}?^goroutine \d+ \[/m,
}
/** How a language's runtime reports that it cannot go on, whatever the code: Go, Python, V8, the C library, the shell. */
const DEATH = {
  needs: anyOf(
    'panic',
    'fatal',
    'libc++abi',
    'terminate called',
    'segmentation',
    'core dumped',
    'assertion ',
  ),
  form: /^(?:panic|fatal error|FATAL ERROR|Fatal Python error|fatal runtime error|libc\+\+abi|terminate called|# Fatal error in\b)|\bSegmentation fault\b|\bcore dumped\b|\bAssertion [^\n]{1,200} failed\b/m,
}

function says(text: string, { needs, form }: typeof PANIC): boolean {
  return mayContain(prefilterOf(text), needs) && form.test(text)
}

/** Kinds that the words of a panic suggest, though they speak of values in the code, not of the request. */
const MEANT_BY_CODE: ReadonlySet<string> = new Set(
  'invalid_request not_found config permission conflict bad_json'.split(' '),
)

const MAY_BE_CRASH: ReadonlySet<string> = new Set([...MEANT_BY_CODE, 'code_bug', 'command_failed'])
