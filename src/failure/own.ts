import type { KnownRule } from './catalogue/compiled-form.ts'
import type { RailKind } from './context.ts'

/** Rules that no evidence decides: what the caller did itself, and what is left when nothing is recognised. */
type Fact = Omit<KnownRule, 'rank'>

function rule(fact: Fact): KnownRule {
  return { ...fact, rank: 'cause' }
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
  rail: (kind: RailKind): KnownRule =>
    rule({
      id: `own:${kind}`,
      origin: 'rail',
      class: 'rail',
      kind,
      effect: 'maybe',
      why: 'a limit that the caller set stopped the call',
    }),
}

/** What a signature says where the catalogue does not agree with it. */
export const SIGNATURE = {
  throttle: rule({
    id: 'signature',
    class: 'throttle',
    kind: 'rate_limit',
    effect: 'maybe',
    why: "an operator's throttle signature matched",
  }),
  flake: rule({
    id: 'signature',
    class: 'transient',
    kind: 'server_error',
    effect: 'maybe',
    why: "an operator's flake signature matched",
  }),
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
    why: 'a program that we know nothing about ended with an error',
  }),
}
