import type { z } from 'zod'
import { type FailureClass, KINDS } from '../../failure/failure.ts'
import { table } from './table.ts'
import { choice, duration, flag, list, name, plainText, secret, text, timeZone } from './value.ts'

const CLASSES = Object.keys(KINDS) as FailureClass[]

/** The kinds of surfaces. */
export const SURFACE_KINDS = [
  'telegram',
  'slack',
  'discord',
  'obsidian',
  'webhook',
  'github',
  'gitea',
  'desktop',
  'command',
] as const
/** A kind of surface. */
export type SurfaceKind = (typeof SURFACE_KINDS)[number]

/** The events that people and sessions are notified about. */
export const NOTICE_EVENTS = [
  'dead',
  'parked',
  'succeeded',
  'down',
  'limit',
  'back',
  'billing',
  'login',
  'unknown',
  'label_proposed',
  'schedule_failing',
  'schedule_recovered',
  'workflow',
  'config_trouble',
  'ledger_trouble',
  'test',
] as const
/** The event a notice is about. */
export type NoticeEvent = (typeof NOTICE_EVENTS)[number]

/** How much a notice matters, least first. */
export const NOTICE_PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const
/** How much a notice matters. Says nothing about whether a person has to act. */
export type NoticePriority = (typeof NOTICE_PRIORITIES)[number]

/** `[[surface]]` */
export const surface = table({
  name: name('Its permanent name: what was sent is remembered under it.'),
  kind: choice(SURFACE_KINDS, 'What it is.'),
  enabled: flag('Whether anything is sent. What happens while it is disabled is not made up for.').prefault(
    true,
  ),
  events: list(
    choice(NOTICE_EVENTS, 'An event'),
    'Only these events. Default: all but `"succeeded"`, which goes to sessions; for `github` and `gitea`, only `"unknown"`.',
  ).optional(),
  classes: list(
    choice(CLASSES, 'A class'),
    'Only failures of these classes, and events without a failure. Default: all.',
  ).optional(),
  providers: list(
    name('A provider'),
    'Only these providers, and events without a provider. Default: all.',
  ).optional(),
  min_priority: choice(NOTICE_PRIORITIES, 'The least priority that is sent.').prefault('low'),
  background: flag(
    'Whether it also gets notices of operations that were submitted and that nobody waits for. Otherwise only the inbox of their session does. Default: true; with the preset `work_buddy`, false.',
  ).optional(),
  gather: duration(
    'Notices of the same event within this time become one message with a count. Urgent ones are sent at once.',
    { least: '0s' },
  ).prefault('5s'),
  quiet: plainText(
    'Quiet hours such as "22:00-07:00": messages wait until they are over, and what is resolved by then is not sent. Urgent ones are sent at once.',
    'quiet hours such as "22:00-07:00"',
  ).optional(),
  time_zone: timeZone('Time zone of the quiet hours.').prefault('UTC'),
  buttons: flag(
    'For `telegram`, and `slack` with `app_token`: whether messages that need action have buttons to mark them as read and to snooze them for an hour. The daemon asks for presses, so it needs no public address; a Telegram bot must have no webhook.',
  ).prefault(false),
  users: list(
    plainText('A user', 'the id of a user'),
    'With buttons: only presses of these users count, by id. Default: everybody in the chat.',
  ).optional(),
  timeout: duration('Time limit of one try.', { least: '1s' }).prefault('15s'),
  token: secret(
    'The token of a bot (`telegram`, `slack`) or account (`github`, `gitea`), or the key of the Local REST API (`obsidian`).',
  ).optional(),
  app_token: secret(
    'For `slack` with buttons: an app-level token (`xapp-…`) with the scope `connections:write`; Socket Mode must be on.',
  ).optional(),
  base_url: text(
    "URL of the API. Default: the vendor's; for `obsidian`, `http://127.0.0.1:27123`. Required for `gitea`.",
    'a URL such as "https://git.example.com", or "env:NAME"',
  ).optional(),
  chat: text(
    'For `telegram`: id of the chat, or `@name` of a channel. For `slack` with a token: the channel.',
  ).optional(),
  webhook: secret('For `slack` and `discord`: the URL of an incoming webhook, which is a secret.').optional(),
  url: text('For `webhook`: the URL.', 'a URL such as "https://example.com/hook", or "env:NAME"').optional(),
  secret: secret(
    'For `webhook`: the key of the HMAC (SHA-256) of timestamp and body. Default: not signed.',
  ).optional(),
  repo: plainText(
    'For `github` and `gitea`: `owner/name` of the repository.',
    'a repository as "owner/name"',
  ).optional(),
  labels: list(
    plainText('A label', 'the name of a label'),
    'For `github`: labels of new issues. GitHub creates missing ones.',
  ).prefault(['mulligan']),
  vault: plainText(
    'For `obsidian`: folder of the vault, to write the note as a file. Without it, the Local REST API is used.',
    'a folder',
  ).optional(),
  note: plainText(
    'For `obsidian`: the note, as a path within the vault.',
    'a path such as "Inbox/Mulligan.md"',
  ).prefault('Mulligan.md'),
  argv: list(
    text('An argument'),
    'For `command`: the program; no shell is used. It gets the notice as JSON on stdin.',
    { least: 1 },
  ).optional(),
})
/** `[[surface]]` with defaults filled in and durations in milliseconds. */
export type SurfaceConfig = z.output<typeof surface>
