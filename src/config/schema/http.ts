import type { z } from 'zod'
import { table } from './table.ts'
import { choice, duration, flag, list, plainText, text, whole } from './value.ts'

/** The port of the HTTP API if none is configured. */
export const HTTP_PORT_DEFAULT = 4517

/** `[http]` */
export const http = table({
  enabled: flag('Whether the daemon serves its HTTP API.').prefault(true),
  address: plainText('Address to listen on.', 'an IP address such as "127.0.0.1"').prefault('127.0.0.1'),
  port: whole(
    `Port to listen on; 0 means any free port. Default: ${HTTP_PORT_DEFAULT}, or any free port if that is taken.`,
    { least: 0, most: 65_535 },
  ).optional(),
  tls_cert: text('Certificate chain (PEM), relative to this file. With it, only HTTPS is served.').optional(),
  tls_key: text('Private key (PEM) of the certificate, relative to this file.').optional(),
  without_tls: flag(
    'Listen without TLS on an address that other machines can reach: tokens then travel unencrypted.',
  ).prefault(false),
  hosts: list(
    plainText('A host name', 'a host name such as "mulligan.example"'),
    'Host names that clients may use besides the address, for example that of a reverse proxy.',
  ).prefault([]),
  proxy_header: plainText(
    'Header in which a proxy that signs people in says who they are. Only `proxy_addresses` may send it.',
    'the name of a header such as "x-forwarded-user"',
  ).optional(),
  proxy_addresses: list(
    plainText('An address', 'an IP address such as "10.0.0.7"'),
    'Addresses of that proxy. Whoever can send requests from one of them can name anybody.',
  ).prefault([]),
  proxy_scope: choice(
    ['read', 'submit', 'operate', 'admin'],
    'What people may do whom the proxy names.',
  ).prefault('read'),
  max_body_bytes: whole('Refuse request bodies larger than this many bytes.').prefault(16_777_216),
  request_timeout: duration(
    'Time limit for a whole request to arrive, and a third of it for its headers. The answer may take longer.',
    { least: '1s' },
  ).prefault('30s'),
  max_connections: whole('How many connections may be open at once, event streams included.').prefault(2_000),
  max_streams: whole('How many event streams may be open at once.').prefault(1_000),
})
/** `[http]` with defaults filled in. */
export type HttpConfig = z.output<typeof http>
