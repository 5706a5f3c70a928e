import { rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { quietly } from '../../src/time/clean-up.ts'
import { type CertificateWish, makeCertificate } from './certificates.ts'
import type { PlaceFault } from './place-faults.ts'

/** Faults of what stands between a CLI and its vendor: certificates, proxies, and ends of connections. */
export const WAY_FAULTS = {
  expired_certificate: {
    summary: 'the certificate has expired; its authority is trusted',
    expected: { class: 'permanent', kind: 'tls' },
    open: () => openTls({ name: 'IP:127.0.0.1', expired: true }, true),
  },
  private_authority: {
    summary: "the certificate is signed by a company's own authority, which the machine does not know",
    expected: { class: 'permanent', kind: 'tls' },
    open: () => openTls({ name: 'IP:127.0.0.1' }, false),
  },
  other_host_certificate: {
    summary: 'the certificate is that of another host; its authority is trusted',
    expected: { class: 'permanent', kind: 'tls' },
    open: () => openTls({ name: 'DNS:other.lab.example' }, true),
  },
  plain_port: {
    summary: 'the port speaks plain HTTP, the address says https',
    expected: { class: 'permanent', kind: 'tls' },
    open: () =>
      openRaw('https', socket => socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n')),
  },
  tunnel_login: {
    summary: 'the proxy on the way to the vendor requires a login (407 to CONNECT)',
    expected: { class: 'permanent', kind: 'auth' },
    open: openProxy,
  },
  closed_at_once: {
    summary: 'the connection is closed in good order before an answer',
    expected: { class: 'transient', kind: 'network' },
    open: () => openRaw('http', socket => socket.once('data', () => socket.end())),
  },
  half_headers: {
    summary: 'the connection breaks in the middle of the headers',
    expected: { class: 'transient', kind: 'network' },
    open: () =>
      openRaw('http', socket =>
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-str', () => socket.resetAndDestroy())
        }),
      ),
  },
} satisfies Record<string, PlaceFault>

/** Every connection counts as a call: no request gets through. */
async function openTls(wish: CertificateWish, isTrusted: boolean) {
  const { folder, authority, ...certificate } = await makeCertificate(wish)
  const server = createHttpsServer(certificate, (_request, response) => response.end('{}'))
  const opened = await listen(server, 'https')
  return {
    ...opened,
    ...(isTrusted ? { env: trustOf(authority) } : {}),
    close: async () => {
      await opened.close()
      await quietly(() => rmSync(folder, { recursive: true, force: true }))
    },
  }
}

/** How Node, Rust and Bun programs are told to trust one more authority. */
function trustOf(file: string): Record<string, string> {
  return { NODE_EXTRA_CA_CERTS: file, SSL_CERT_FILE: file, CODEX_CA_CERTIFICATE: file }
}

function openRaw(scheme: string, meet: (socket: Socket) => void) {
  const server = createServer(socket => {
    socket.on('error', () => {})
    meet(socket)
  })
  return listen(server, scheme)
}

/** A proxy that lets nobody through. Only tunnels to the vendor count: CLIs also look for updates. */
async function openProxy() {
  let calls = 0
  const refusal =
    'HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="corporate"\r\n'
  const server = createHttpServer((_request, response) => {
    response.writeHead(407, { 'proxy-authenticate': 'Basic realm="corporate"' }).end()
  })
  server.on('connect', (request, socket) => {
    if (request.url?.startsWith('api.lab.example')) calls++
    socket.on('error', () => {})
    socket.end(`${refusal}content-length: 0\r\nconnection: close\r\n\r\n`)
  })
  const { url, close } = await listen(server, 'http')
  const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']
  return {
    url: 'https://api.lab.example',
    env: Object.fromEntries(names.map(name => [name, url])),
    calls: () => calls,
    close,
  }
}

async function listen(server: Server, scheme: string) {
  const sockets = new Set<Socket>()
  let calls = 0
  server.on('connection', (socket: Socket) => {
    calls++
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => calls,
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
