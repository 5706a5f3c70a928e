/** The part of `ws` that tests use. */
declare module 'ws' {
  import type { Server } from 'node:http'

  export class WebSocket {
    send(data: string): void
    close(): void
    on(event: 'message', listener: (data: Buffer) => void): void
    on(event: 'close', listener: () => void): void
  }

  export class WebSocketServer {
    constructor(options: { server: Server })
    on(event: 'connection', listener: (socket: WebSocket) => void): void
    close(): void
  }
}
