import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { LoadedConfig } from '../../config/loaded.ts'
import { resolveText } from '../../config/reference.ts'
import { HTTP_PORT_DEFAULT } from '../../config/schema/http.ts'
import { present } from '../../failure/present.ts'
import type { TrustedProxy } from './guard.ts'
import { isLoopback } from './hosts.ts'

/** `[http]` has a mistake. The message says what would be right. */
export class HttpConfigError extends Error {
  override name = 'HttpConfigError'
}

/** Where and how to listen. */
export interface HttpSettings {
  address: string
  port: number
  /** Whether another port may be used if this one is taken, because the config does not set it. */
  anyPort: boolean
  /** Certificate chain and private key, as PEM. Undefined: plain HTTP. */
  tls?: { cert: string; key: string }
  hosts: readonly string[]
  maxBodyBytes: number
  /** Time for a whole request to arrive, in milliseconds. */
  requestTimeoutMs: number
  maxConnections: number
  maxStreams: number
  /** Who signs in by the header of a proxy. Undefined: nobody. */
  proxy?: TrustedProxy
}

/** `[http]` of a config; undefined if it is off. Throws an {@link HttpConfigError}. */
export function httpSettingsOf(
  loaded: LoadedConfig,
  { env, cwd }: { env: Readonly<Record<string, string | undefined>>; cwd: string },
): HttpSettings | undefined {
  const {
    enabled,
    address,
    port,
    tlsCert,
    tlsKey,
    withoutTls,
    proxyHeader,
    proxyAddresses,
    proxyScope,
    ...rest
  } = loaded.config.http
  if (!enabled) return undefined
  const base = loaded.file === undefined ? cwd : dirname(loaded.file)
  if ((proxyHeader === undefined) !== (proxyAddresses.length === 0))
    throw new HttpConfigError('[http] needs both proxy_header and proxy_addresses, or neither')
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new HttpConfigError('[http] needs both tls_cert and tls_key, or neither')
  const tls =
    tlsCert === undefined || tlsKey === undefined
      ? undefined
      : {
          cert: readPem('tls_cert', resolve(base, resolveText(tlsCert, { env }))),
          key: readPem('tls_key', resolve(base, resolveText(tlsKey, { env }))),
        }
  if (!tls && !isLoopback(address) && !withoutTls)
    throw new HttpConfigError(
      `[http] address ${address} can be reached from other machines; set tls_cert and tls_key, or without_tls = true if a proxy in front of it encrypts`,
    )
  return {
    ...rest,
    address,
    port: port ?? HTTP_PORT_DEFAULT,
    anyPort: port === undefined,
    ...present({ tls }),
    ...(proxyHeader === undefined
      ? {}
      : { proxy: { header: proxyHeader.toLowerCase(), addresses: proxyAddresses, scope: proxyScope } }),
  }
}

function readPem(key: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new HttpConfigError(`[http] ${key}: ${file} cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
