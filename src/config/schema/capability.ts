import type { z } from 'zod'
import { BACKOFF_NAMES } from '../../verdict/backoff.ts'
import { PRESET_NAMES } from './policy.ts'
import { table } from './table.ts'
import { agentOption, choice, duration, flag, list, map, name, plainText, text, whole } from './value.ts'

const request = {
  url: text('The URL.', 'a URL such as "https://example.com/hook", or "env:NAME"'),
  headers: map(text('A value'), 'Headers; secrets as `"env:NAME"`.').prefault({}),
  body: text('The body.').optional(),
}

const http = table({
  method: choice(['get', 'post', 'put', 'patch', 'delete'], 'The method.').prefault('post'),
  ...request,
})

const question = table({
  method: choice(['get', 'head', 'post'], 'The method.').prefault('get'),
  ...request,
})

const agent = table({
  prompt: text('The prompt.'),
  cwd: plainText("Working folder, relative to this file. Default: the runner's.", 'a folder').optional(),
  resume: flag('Whether an interrupted session is resumed.').prefault(true),
  worktree: flag('Whether each try gets its own git worktree.').prefault(false),
  options: map(agentOption(), 'CLI options; those pinned by the provider win.').prefault({}),
  job_options: list(
    plainText('A name', 'the name of an option'),
    'Options that an operation may set in its `options` parameter, overriding those above. Default: those for quality, time and cost (`model`, `effort`, `max_turns`, `max_budget_usd`, `timeout`, …) that `options` does not set.',
  ).optional(),
})

const verify = table({
  argv: list(text('An argument'), 'A command: exit code 0 means done, 1 not done, anything else unsure.', {
    least: 1,
  }).optional(),
  http: question
    .describe('A request: a 2xx response means done, 404 and 410 not done, anything else unsure.')
    .optional(),
  delay: duration('Wait before the first check, for effects that show up late.', { least: '0s' }).prefault(
    '0s',
  ),
  timeout: duration('A check that takes longer counts as unsure.').prefault('30s'),
})

const param = table({
  type: choice(['string', 'integer', 'number', 'boolean', 'json'], 'Its type.').prefault('string'),
  required: flag('Whether it is required.').prefault(true),
  secret: flag('Whether it is stored encrypted and never shown.').prefault(false),
  description: plainText('What it is for.').optional(),
})

/** `[[capability]]` */
export const capability = table({
  name: name('Its name in operations.'),
  description: plainText('What it does.').optional(),
  argv: list(text('An argument'), 'A command; no shell is used.', { least: 1 }).optional(),
  env: map(
    text('A value'),
    'For `argv`: environment variables. `"{name}"` is replaced by that parameter, secret or not.',
  ).optional(),
  stdin: text('For `argv`: its stdin, with parameters as in `env`. Default: empty.').optional(),
  cwd: plainText(
    "For `argv`: working folder, relative to this file. Default: this file's folder.",
    'a folder',
  ).optional(),
  http: http.describe('An HTTP request.').optional(),
  output: choice(
    ['text', 'json'],
    'For `argv` and `http`: how the result is parsed. Default: text, or JSON if the response says so.',
  ).optional(),
  agent: agent.describe('A run of an agent CLI.').optional(),
  module: plainText(
    'A function: module path, relative to this file, and export name, such as `"./work.ts#deploy"`.',
    'the path of a module',
  ).optional(),
  params: map(param, 'Its parameters.').prefault({}),
  retry: choice(
    ['none', 'replay', 'verify_first'],
    '`"none"`: never run again once it may have taken effect. `"replay"`: running it twice is safe. `"verify_first"`: check first whether the effect is there. Required for commands and functions. Default for requests and agents: `"none"`; for GET, HEAD and agents with their own worktree: `"replay"`.',
  ).optional(),
  atomic: flag(
    'Whether it is a single request, so that a refusal proves nothing happened and it may be retried even if `retry` is not `"replay"`. Default: false.',
  ).optional(),
  refusals: list(
    whole('A status', { least: 400, most: 599 }),
    'For `http`: further statuses with which the server refuses a request before it does anything, such as `[503]`. Default: none.',
  ).optional(),
  verify: verify.describe('How to check whether the effect is there.').optional(),
  provider: name('The provider it uses.').optional(),
  pool: name('The pool it uses, instead of a provider.').optional(),
  policy: choice(
    PRESET_NAMES,
    "The policy for its failures. Default: the provider's, else `[policy]`.",
  ).optional(),
  timeout: duration('Time limit of one try. Default: none.').optional(),
  lease: duration('How long its runner may be silent. Default: that of `[queue]`.', {
    least: '1s',
  }).optional(),
  concurrency: whole(
    'How many of its operations run at once. Default: limited only by `[queue]`.',
  ).optional(),
  priority: whole('Higher runs first.', { least: -10, most: 10 }).prefault(0),
  max_retries: whole('Default: that of `[queue]`.', { least: 0 }).optional(),
  backoff: choice(BACKOFF_NAMES, 'Default: that of `[queue]`.').optional(),
  retry_for: duration('Default: that of `[queue]`.').optional(),
})
/** `[[capability]]` with defaults filled in and durations in milliseconds. */
export type CapabilityConfig = z.output<typeof capability>
