import type { z } from 'zod'
import { AGENT_CLIS } from '../agent-clis.ts'
import { PRESET_NAMES } from './policy.ts'
import { table } from './table.ts'
import {
  agentOption,
  amount,
  capWindow,
  choice,
  duration,
  flag,
  list,
  map,
  name,
  plainText,
  secret,
  share,
  tables,
  text,
  timeZone,
  whole,
} from './value.ts'

const model = table({
  id: plainText('The name that the vendor gives the model.', 'the name of a model'),
  context_window: whole(
    'Tokens that fit into its context. A call that overflows one window fails over only to a larger one.',
  ).optional(),
})

const errorSignatures = table({
  throttle: list(
    plainText('A pattern', 'a pattern'),
    'Patterns that mean: not now, you used too much. RE2 syntax, unanchored, upper and lower case alike.',
  ).prefault([]),
  flake: list(
    plainText('A pattern', 'a pattern'),
    'Patterns that mean: would likely succeed if repeated soon. A throttle pattern beats them.',
  ).prefault([]),
})

const price = table({
  input_usd: amount('US dollars for a million tokens that go in.', 'US dollars'),
  output_usd: amount('US dollars for a million tokens that come out.', 'US dollars'),
  cached_usd: amount(
    'US dollars for a million tokens read from a cache. Default: as `input_usd`.',
    'US dollars',
  ).optional(),
})

const cap = table({
  per: capWindow(
    '`"hour"`, `"day"` and `"month"` begin with the clock in the time zone of the provider; a duration such as `"5h"` or `"7d"` rolls.',
  ),
  usd: amount('US dollars.', 'US dollars').optional(),
  tokens: whole('Tokens, in and out.').optional(),
  requests: whole('Calls.').optional(),
})

const breaker = table({
  consecutive: whole('Failures in a row that open it; unknown ones count half.').prefault(5),
  rate: share('Share of failed calls within the window that opens it.').prefault(0.5),
  minimum: whole('Calls that the window must hold before the share counts.').prefault(10),
  window: duration('Length of that window.', { least: '1s' }).prefault('1m'),
  cooldown: duration('Time it stays open before one call may try; doubles with every such try that fails.', {
    least: '1s',
  }).prefault('30s'),
  max_cooldown: duration('The longest such time.', { least: '1s' }).prefault('2m'),
  successes: whole('Such tries in a row that must succeed to close it.').prefault(1),
})

const probe = table({
  argv: list(text('An argument'), 'A cheap command whose real answer shows that the provider works.', {
    least: 1,
  }).optional(),
  prompt: text('A cheap prompt for the CLI of the provider, instead of `argv`.').optional(),
  timeout: duration('A probe that takes longer is ended, and counts as failed.').prefault('15s'),
  every: duration('How often it is probed by itself. Without it, only where somebody asks.', {
    least: '60s',
  }).optional(),
})

/** `[[provider]]` */
export const provider = table({
  id: name('What pools, policies and reports call it.'),
  cli: choice(
    AGENT_CLIS,
    'The agent CLI that serves it. Without it, the name of a vendor or service that programs call.',
  ).optional(),
  quota: name(
    'Whose allowance it uses up; providers with the same name share blocks and windows. Default: its own id.',
  ).optional(),
  models: tables(
    model,
    'provider.models',
    'Models it serves; the first is meant where a call names none.',
  ).prefault([]),
  credential: secret(
    'Where its key or login is: `"env:NAME"` or `"file:PATH"`. A refused login is held against it alone, until it changes. Default, for an agent CLI: the login in its home; else unknown, and then a refused login blocks only briefly.',
  ).optional(),
  command: text(
    'The program. Default: the name of the CLI, found on PATH. Needed for `cli = "command"`.',
  ).optional(),
  args: list(
    text('An argument'),
    'Arguments that always come first. With `cli = "command"`, `{prompt}` in one stands for the prompt, which else goes in by stdin.',
  ).prefault([]),
  env: map(text('A value'), 'Environment of its processes, beside that of mulligan.').prefault({}),
  pass_env: list(
    plainText('A name', 'the name of a variable'),
    'Names of the variables of mulligan that its processes see. Default: all.',
  ).optional(),
  defaults: map(
    agentOption(),
    'Options of the CLI for calls that do not set them, such as `model = "sonnet"`.',
  ).prefault({}),
  pinned: map(
    agentOption(),
    'Options of the CLI that no call can change, such as `max_turns = 30`.',
  ).prefault({}),
  allow_dangerous: flag('Whether a call may switch off all permission prompts of the CLI.').prefault(false),
  min_version: plainText('Lowest version of the CLI that is run.', 'a version such as "1.0.30"').optional(),
  self_retries: whole('How often the CLI may retry a request by itself, where it can be told.', {
    least: 0,
  }).optional(),
  model_provider: name(
    "The entry of codex's `model_providers` to use, whose retries can then be set. Only for codex.",
  ).optional(),
  stall: duration('Longest time without any output before a run is ended.', { least: '1s' }).optional(),
  price: price.describe('What a million tokens cost, for CLIs that tell tokens and no price.').optional(),
  error_signatures: errorSignatures
    .describe('How its failures read where the catalogue does not know them.')
    .prefault({}),
  caps: tables(
    cap,
    'provider.caps',
    'What it may use up; at a cap nobody calls it until the window rolls.',
  ).prefault([]),
  time_zone: timeZone('Zone in which its hours and days begin, and of clock times in its messages.').prefault(
    'UTC',
  ),
  breaker: breaker.describe('When it is left alone because its calls fail.').prefault({}),
  concurrency: whole('Calls at the same time. Default: no limit.').optional(),
  probe: probe.describe('How to find out that it works again without a real call.').optional(),
  policy: choice(PRESET_NAMES, 'The policy for its failures. Default: that of `[policy]`.').optional(),
})
/** `[[provider]]` as it is in force: defaults filled in, durations in milliseconds. */
export type ProviderConfig = z.output<typeof provider>
