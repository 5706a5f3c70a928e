import type { z } from 'zod'
import { BACKOFF_NAMES } from '../../verdict/backoff.ts'
import { PRESET_NAMES } from './policy.ts'
import { table } from './table.ts'
import { agentOption, choice, duration, flag, list, map, name, plainText, text, whole } from './value.ts'

const request = {
  url: text('The address.', 'an address such as "https://example.com/hook", or "env:NAME"'),
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
  prompt: text('What the agent is asked to do.'),
  cwd: plainText(
    'Folder it works in, relative to this file. Default: that of the runner.',
    'a folder',
  ).optional(),
  resume: flag('Whether a session that was cut is continued.').prefault(true),
  worktree: flag('Whether each try gets a worktree of its own.').prefault(false),
  options: map(agentOption(), 'Options of the CLI; those that the provider pins win.').prefault({}),
  job_options: list(
    plainText('A name', 'the name of an option'),
    'Options that an operation may carry in its parameter `options`, over those above. Default: those that say how well, how long and how dear it runs (`model`, `effort`, `max_turns`, `max_budget_usd`, `timeout`, …), as far as `options` does not set them.',
  ).optional(),
})

const verify = table({
  argv: list(
    text('An argument'),
    'Exit code 0 means that it is done, 1 that it is not; all else is unsure.',
    { least: 1 },
  ).optional(),
  http: question
    .describe('A 2xx answer means that it is done, 404 and 410 that it is not; all else is unsure.')
    .optional(),
  delay: duration('Time before the first question, for effects that show late.', { least: '0s' }).prefault(
    '0s',
  ),
  timeout: duration('A question that takes longer counts as unsure.').prefault('30s'),
})

const param = table({
  type: choice(['string', 'integer', 'number', 'boolean', 'json'], 'What it holds.').prefault('string'),
  required: flag('Whether an operation needs it.').prefault(true),
  secret: flag('Whether it is stored encrypted and never shown.').prefault(false),
  description: plainText('What it is for.').optional(),
})

/** `[[capability]]` */
export const capability = table({
  name: name('What operations call it.'),
  description: plainText('What it does.').optional(),
  argv: list(text('An argument'), 'A command; no shell is involved.', { least: 1 }).optional(),
  env: map(
    text('A value'),
    'For `argv`: variables set for the program. `"{name}"` stands for a parameter, also for a secret one.',
  ).optional(),
  stdin: text('For `argv`: text for its stdin, with parameters as in `env`. Default: none.').optional(),
  cwd: plainText(
    'For `argv`: folder it runs in, relative to this file. Default: that of this file.',
    'a folder',
  ).optional(),
  http: http.describe('An HTTP request.').optional(),
  output: choice(
    ['text', 'json'],
    'For `argv` and `http`: what the result is read as. Default: text; for an answer that says that it is JSON, JSON.',
  ).optional(),
  agent: agent.describe('A run of an agent CLI.').optional(),
  module: plainText(
    'A function: the path of a module, relative to this file, and the name of its export, as in `"./work.ts#deploy"`.',
    'the path of a module',
  ).optional(),
  params: map(param, 'Its parameters by name.').prefault({}),
  retry: choice(
    ['none', 'replay', 'verify_first'],
    '`"none"`: never a second time once it may have taken effect. `"replay"`: running it twice does no harm. `"verify_first"`: asked first whether the effect is there. Commands and functions must say. Default for requests and agents: `"none"`; for GET, HEAD and agents with a worktree of their own `"replay"`.',
  ).optional(),
  atomic: flag(
    'Whether it is one request, or harmless: then a refused request is tried again although `retry` is not `"replay"`. Default: false.',
  ).optional(),
  verify: verify.describe('How to find out whether the effect is there.').optional(),
  provider: name('The id of the provider it uses.').optional(),
  pool: name('The id of the pool it uses, instead of a provider.').optional(),
  policy: choice(
    PRESET_NAMES,
    'The policy for its failures. Default: that of the provider or of `[policy]`.',
  ).optional(),
  timeout: duration('Longest time of one try. Default: none.').optional(),
  lease: duration('How long its runner may be silent. Default: that of `[queue]`.', {
    least: '1s',
  }).optional(),
  concurrency: whole(
    'Operations of it at the same time. Default: no limit but that of `[queue]`.',
  ).optional(),
  priority: whole('Larger ones are run first.', { least: -10, most: 10 }).prefault(0),
  max_retries: whole('Default: that of `[queue]`.', { least: 0 }).optional(),
  backoff: choice(BACKOFF_NAMES, 'Default: that of `[queue]`.').optional(),
  retry_for: duration('Default: that of `[queue]`.').optional(),
})
/** `[[capability]]` as it is in force: defaults filled in, durations in milliseconds. */
export type CapabilityConfig = z.output<typeof capability>
