import type { z } from 'zod'
import { AGENT_CLIS } from '../agent-clis.ts'
import { MODEL_API_NAMES } from '../model-apis.ts'
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
  id: plainText("The vendor's name of the model.", 'the name of a model'),
  context_window: whole(
    'Its context size in tokens. A call that overflows it fails over only to a larger one.',
  ).optional(),
})

const errorSignatures = table({
  throttle: list(
    plainText('A pattern', 'a pattern'),
    'Patterns that mean "you used too much for now". RE2 syntax, unanchored, case-insensitive.',
  ).prefault([]),
  flake: list(
    plainText('A pattern', 'a pattern'),
    'Patterns that mean "would probably succeed if repeated soon". A throttle pattern beats them.',
  ).prefault([]),
})

const price = table({
  input_usd: amount('US dollars per million input tokens.', 'US dollars'),
  output_usd: amount('US dollars per million output tokens.', 'US dollars'),
  cached_usd: amount('US dollars per million cached tokens. Default: `input_usd`.', 'US dollars').optional(),
})

const cap = table({
  per: capWindow(
    '`"hour"`, `"day"` and `"month"` follow the clock in the provider\'s time zone; a duration such as `"5h"` or `"7d"` is a rolling window.',
  ),
  usd: amount('US dollars.', 'US dollars').optional(),
  tokens: whole('Tokens, in and out.').optional(),
  requests: whole('Calls.').optional(),
})

const breaker = table({
  consecutive: whole('Failures in a row that open it; unknown failures count half.').prefault(5),
  rate: share('Share of failed calls in the window that opens it.').prefault(0.5),
  minimum: whole('Calls in the window before the share counts.').prefault(10),
  window: duration('Duration of that window.', { least: '1s' }).prefault('1m'),
  cooldown: duration(
    'Time it stays open for calls that can go elsewhere; doubles each time the test call after it fails.',
    {
      least: '1s',
    },
  ).prefault('30s'),
  max_cooldown: duration('Longest cooldown.', { least: '1s' }).prefault('2m'),
  successes: whole('Successful test calls in a row that close it.').prefault(1),
})

const probe = table({
  argv: list(text('An argument'), 'A cheap command that gets a real answer if the provider works.', {
    least: 1,
  }).optional(),
  prompt: text("A cheap prompt for the provider's CLI, instead of `argv`.").optional(),
  timeout: duration('A probe that takes longer is killed and counts as failed.').prefault('15s'),
  every: duration('How often it is probed automatically. Default: only on request.', {
    least: '60s',
  }).optional(),
})

/** `[[provider]]` */
export const provider = table({
  id: name('Its name in pools, policies and reports.'),
  cli: choice(
    AGENT_CLIS,
    'The agent CLI that serves it. Without it, the provider is a vendor or service that your programs call.',
  ).optional(),
  api: choice(
    MODEL_API_NAMES,
    'The model API it speaks, so that `mulligan proxy` sends questions to it; with `credential`, that key answers for it.',
  ).optional(),
  base_url: text(
    'Where that API is. Default: at the vendor.',
    'a URL such as "https://llm.example/v1"',
  ).optional(),
  model_names: map(
    plainText('A name', 'the name of a model'),
    'What the models that clients ask for are called there.',
  ).prefault({}),
  quota: name(
    'Whose allowance it uses; providers with the same quota share blocks and windows. Default: its own id.',
  ).optional(),
  models: tables(model, 'provider.models', 'Models it serves; the first is the default.').prefault([]),
  credential: secret(
    'Where its key or login is: `"env:NAME"` or `"file:PATH"`. A refused login blocks only this credential, until it changes. Default: for an agent CLI, the login in its home; otherwise unknown, and a refused login blocks only briefly.',
  ).optional(),
  command: text(
    'The program. Default: the name of the CLI, found on PATH. Required for `cli = "command"`.',
  ).optional(),
  args: list(
    text('An argument'),
    'Arguments that always come first. With `cli = "command"`, `{prompt}` is replaced by the prompt; without it, the prompt goes to stdin.',
  ).prefault([]),
  env: map(text('A value'), "Environment variables of its processes, added to mulligan's.").prefault({}),
  pass_env: list(
    plainText('A name', 'the name of a variable'),
    "Names of mulligan's variables that its processes see. Default: all.",
  ).optional(),
  defaults: map(
    agentOption(),
    'CLI options for calls that do not set them, such as `model = "sonnet"`.',
  ).prefault({}),
  pinned: map(agentOption(), 'CLI options that no call can change, such as `max_turns = 30`.').prefault({}),
  allow_dangerous: flag('Whether a call may turn off all permission prompts of the CLI.').prefault(false),
  min_version: plainText('Lowest CLI version to run.', 'a version such as "1.0.30"').optional(),
  self_retries: whole('How often the CLI may retry a request itself, if it can be configured.', {
    least: 0,
  }).optional(),
  model_provider: name(
    "The entry of codex's `model_providers` to use, whose retries can then be set. Only for codex.",
  ).optional(),
  stall: duration('Kill a run after this long without output.', { least: '1s' }).optional(),
  price: price.describe('Token prices, for CLIs that report tokens but no cost.').optional(),
  error_signatures: errorSignatures
    .describe('How its failures look if the catalogue does not know them.')
    .prefault({}),
  caps: tables(
    cap,
    'provider.caps',
    'Usage caps; at a cap, it gets no calls until the window rolls over.',
  ).prefault([]),
  time_zone: timeZone('Time zone of its hours and days, and of clock times in its messages.').prefault('UTC'),
  breaker: breaker.describe('When it gets no calls because they fail.').prefault({}),
  concurrency: whole('How many calls run at once. Default: no limit.').optional(),
  probe: probe.describe('How to check that it works again, without a real call.').optional(),
  policy: choice(PRESET_NAMES, 'The policy for its failures. Default: `[policy]`.').optional(),
})
/** `[[provider]]` with defaults filled in and durations in milliseconds. */
export type ProviderConfig = z.output<typeof provider>
