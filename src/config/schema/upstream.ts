import type { z } from 'zod'
import { table } from './table.ts'
import { choice, duration, flag, json, list, map, name, plainText, text, whole } from './value.ts'

const verify = table({
  tool: plainText('A tool of the same server that changes nothing.', 'the name of a tool'),
  arguments: map(
    json('A value'),
    'Its arguments; `"{name}"` is replaced by that argument of the call being checked.',
  ).prefault({}),
  contains: plainText(
    'The effect is there if the answer contains this, with `{name}` as above. Default: if the answer is not an error.',
  ).optional(),
})

const tool = table({
  retry: choice(
    ['none', 'replay', 'verify_first'],
    '`"none"`: never sent again once it may have taken effect. `"replay"`: calling it twice is safe. `"verify_first"`: check first whether the effect is there. Default: `"replay"` for tools annotated as read-only or idempotent, otherwise `"none"`.',
  ).optional(),
  atomic: flag(
    'Whether an error of the tool proves that nothing happened, so it may be called again.',
  ).prefault(false),
  timeout: duration("Time limit of one call. Default: the server's.").optional(),
  idle_timeout: duration("Longest time of one call without progress. Default: the server's.").optional(),
  verify: verify.describe('How to check whether the effect of a call is there.').optional(),
})

/** `[[upstream]]` */
export const upstream = table({
  name: name('Its name, and the prefix of its tools if there are several servers.'),
  argv: list(text('An argument'), 'The program of the server; no shell is used.', { least: 1 }).optional(),
  env: map(text('A value'), "For `argv`: environment variables, added to mulligan's.").prefault({}),
  cwd: plainText(
    "For `argv`: working folder, relative to this file. Default: the client's.",
    'a folder',
  ).optional(),
  url: text(
    'URL of a server that speaks streamable HTTP, instead of `argv`.',
    'a URL such as "https://example.com/mcp", or "env:NAME"',
  ).optional(),
  headers: map(text('A value'), 'For `url`: headers of every request; secrets as `"env:NAME"`.').prefault({}),
  identity: plainText(
    'Name of the login it uses, if neither `argv`, `cwd`, `env` and `headers` nor credentials in the environment tell logins apart. Sessions with the same name share its queue. Default: found out from those.',
  ).optional(),
  prefix: plainText(
    "Prefix of its tool and prompt names, followed by an underscore. Default: the server's name, if there are several.",
    'letters, digits, "-" and "_"',
  ).optional(),
  start_timeout: duration("Time limit for the server's first answer.").prefault('30s'),
  timeout: duration('Time limit of one call.').prefault('1h'),
  idle_timeout: duration(
    'Longest time of one call without progress; only for calls whose client asks for progress.',
  ).prefault('5m'),
  concurrency: whole('How many calls run at once. Default: no limit.').optional(),
  tools: map(tool, 'Settings of single tools, by name.').prefault({}),
})
/** `[[upstream]]` with defaults filled in and durations in milliseconds. */
export type UpstreamConfig = z.output<typeof upstream>
