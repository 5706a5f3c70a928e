import type { z } from 'zod'
import { table } from './table.ts'
import { amount, duration, flag, whole } from './value.ts'

/** The port of the proxy if none is configured. */
export const PROXY_PORT_DEFAULT = 4518

/** `[proxy]` */
export const proxy = table({
  enabled: flag('Whether the daemon runs the model proxy. `mulligan proxy` runs it alone.').prefault(false),
  port: whole(
    `Port to listen on, on this machine only; 0 means any free port. Default: ${PROXY_PORT_DEFAULT}.`,
    {
      least: 0,
      most: 65_535,
    },
  ).prefault(PROXY_PORT_DEFAULT),
  max_hold: duration(
    'How long a request may wait for a limit to lift before it fails. Default: 6h for streams of claude, codex and opencode, which show that it waits, else 10m.',
  ).optional(),
  client_day_usd: amount(
    'What one client, such as `claude`, may spend in a day by `[[price]]`. Default: no limit of its own; `[budget] day_usd` counts all.',
    'US dollars',
  ).optional(),
  session_usd: amount('What one session of a client may spend. Default: no limit.', 'US dollars').optional(),
  max_body_bytes: whole('Refuse questions larger than this many bytes.').prefault(67_108_864),
  max_connections: whole('How many connections may be open at once.').prefault(1_000),
})
/** `[proxy]` with defaults filled in. */
export type ProxyConfig = z.output<typeof proxy>
