import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Connections whose sender has shown a token, a sign-in or a code once. */
const known = new WeakSet<Socket>()

/** The sender of this connection may use the API: it is not closed to make room for strangers. */
export function isKnownFromNowOn(socket: Socket): void {
  known.add(socket)
}

/**
 * Limits the connections of a server. At the limit, the stranger that has been connected longest makes room: whoever opens many
 * connections without a token cannot lock out those who have one.
 */
export function limitConnections(server: Server, most: number, event = 'connection'): void {
  const open = new Set<Socket>()
  server.on(event, (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    if (open.size <= most) return
    let stranger = socket
    for (const each of open) {
      if (known.has(each)) continue
      stranger = each
      break
    }
    open.delete(stranger)
    stranger.destroy()
  })
}
