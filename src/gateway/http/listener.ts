import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { refuseBadRequests } from './bad-request.ts'
import { limitConnections } from './connections.ts'
import { hostOf } from './hosts.ts'
import type { HttpSettings } from './settings.ts'

/** Share of the request timeout that the headers may take. */
const HEADERS_PART = 1 / 3
/** How long an idle connection stays open, in milliseconds. */
const KEEP_ALIVE_MS = 15_000
/** Longest interval between checks of these timeouts, in milliseconds. */
const CHECK_EVERY_MS = 2_000
/** How often a server that closes looks for connections whose answer has ended, in milliseconds. */
const CLOSE_IDLE_EVERY_MS = 50
/** Any program on this host can plant cookies in a browser; most that do so stay below this, and strangers hold no more memory. */
const MAX_HEADER_BYTES = 65_536
/** Most handshakes at once. */
const HANDSHAKES = 200

/** What a server needs of its settings. */
type ListenSettings = Pick<
  HttpSettings,
  'address' | 'port' | 'anyPort' | 'tls' | 'requestTimeoutMs' | 'maxConnections'
> & {
  /** What decides how slow a request may be. Default: the setting of `[http]`. */
  slowHint?: string
}

/** The port is taken by another program. */
export class PortTaken extends Error {
  override name = 'PortTaken'

  constructor({ address, port }: ListenSettings, options: ErrorOptions) {
    super(
      `cannot listen on ${hostOf(address)}:${port}: another program does; choose another port with [http] port or --http-port, or use --no-http`,
      options,
    )
  }
}

/** A listening server. */
export interface Listener {
  url: string
  /** Takes no more requests, and gives open ones `graceMs` to finish. */
  close: (graceMs: number) => Promise<void>
}

/** Starts a server. Throws a {@link PortTaken} if a requested port is taken. */
export async function listen(settings: ListenSettings, onRequest: RequestListener): Promise<Listener> {
  const { address, port, anyPort, tls } = settings
  const server = serverOf(settings, onRequest)
  try {
    await listening(server, address, port)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    if (!anyPort) throw new PortTaken(settings, { cause: error })
    await listening(server, address, 0)
  }
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `${tls ? 'https' : 'http'}://${hostOf(address)}:${taken}`,
    close: graceMs => closed(server, graceMs),
  }
}

function serverOf(
  { tls, maxConnections, requestTimeoutMs, slowHint = 'see request_timeout in [http]' }: ListenSettings,
  onRequest: RequestListener,
): Server {
  const options = {
    headersTimeout: Math.round(requestTimeoutMs * HEADERS_PART),
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, requestTimeoutMs / 10),
    maxHeaderSize: MAX_HEADER_BYTES,
  }
  // Before the handshake there is no request whose time could be limited, and Node would wait two minutes for it.
  const handshakeTimeout = options.headersTimeout
  const server = tls
    ? (createTlsServer({ ...options, handshakeTimeout, ...tls }, onRequest) as unknown as Server)
    : createServer(options, onRequest)
  limitConnections(server, maxConnections, tls ? 'secureConnection' : 'connection')
  // Connections that have not finished their handshake; of the others the limit is above.
  server.maxConnections = maxConnections + (tls ? HANDSHAKES : 1)
  refuseBadRequests(server, slowHint)
  return server
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function closed(server: Server, graceMs: number): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs)
    // A client keeps its connection after an answer, and Node would wait for it.
    const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS)
    server.close(() => {
      clearTimeout(timer)
      clearInterval(idle)
      resolve()
    })
    server.closeIdleConnections()
  })
}
