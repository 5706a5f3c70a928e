import type { KnownRule } from './catalogue/compiled-form.ts'
import type { RailKind } from './context.ts'
import { type FailureLabel, PLAIN_KIND } from './label.ts'
import type { Candidate } from './precedence.ts'

/** Rules that no pattern in the input decides: what the caller did, and the fallback when no rule matches. */
type Fact = KnownRule & { readonly why: string }

function rule(fact: Omit<Fact, 'rank'>): Fact {
  return { ...fact, rank: 'specific' }
}

export const OWN = {
  aborted: rule({
    id: 'own:aborted',
    origin: 'abort',
    class: 'aborted',
    kind: 'aborted',
    effect: 'maybe',
    why: 'the caller aborted the call',
  }),
  timedOut: rule({
    id: 'own:timed_out',
    origin: 'timer',
    class: 'timeout',
    kind: 'timeout',
    effect: 'maybe',
    why: "the caller's timer fired",
  }),
  rail: (kind: RailKind): Fact =>
    rule({
      id: `own:${kind}`,
      origin: 'rail',
      class: 'rail',
      kind,
      effect: 'maybe',
      why: 'a limit that the caller set stopped the call',
    }),
}

/** The rule for a signature that the catalogue does not agree with. */
export function signatureRule({ class: cls, kind }: FailureLabel): KnownRule {
  return rule({
    id: 'signature',
    class: cls,
    kind: kind ?? PLAIN_KIND[cls],
    effect: 'maybe',
    why: `a signature says it is ${cls}`,
  })
}

export const UNRECOGNISED = {
  unknown: rule({
    id: 'none',
    class: 'unknown',
    kind: 'unknown',
    effect: 'maybe',
    why: 'nothing recognised it',
  }),
  command: rule({
    id: 'none:command',
    class: 'unknown',
    kind: 'command_failed',
    effect: 'maybe',
    why: 'an unknown program ended with an error',
  }),
}

/** A candidate without evidence in the input: a fact from the caller, or the fallback for the input as a whole. */
export function fact(rule: KnownRule, where: 'caller' | 'input' = 'caller'): Candidate {
  return { rule, where, source: '', at: 0, end: 0, depth: 0, structured: true, late: false }
}
