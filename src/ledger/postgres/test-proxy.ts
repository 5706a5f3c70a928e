import { createConnection, createServer, type Socket } from 'node:net'

/** A way to a server that can be cut, or swallow everything. */
export class TestProxy {
  readonly #target: { host: string; port: number }
  readonly #pairs = new Set<{ near: Socket; far: Socket }>()
  #server: ReturnType<typeof createServer> | undefined
  #isHole = false
  #last: string | undefined

  constructor(target: { host: string; port: number }) {
    this.#target = target
  }

  /** Starts it; gives its port. */
  listen(): Promise<number> {
    const server = createServer(near => this.#join(near))
    this.#server = server
    return new Promise(resolve => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
    })
  }

  /** Ends every connection there is; new ones are let through. */
  cut(): void {
    for (const { near, far } of this.#pairs) {
      near.destroy()
      far.destroy()
    }
  }

  /** Ends the connection that next asks for this, when it has been passed on and before it is answered. */
  cutAfter(text: string): void {
    this.#last = text
  }

  /** Nothing gets through any more in either direction, and nobody is told; also to new connections. */
  swallow(): void {
    this.#isHole = true
  }

  /** Lets new connections through again; what was swallowed stays so, as after a change of network. */
  heal(): void {
    this.#isHole = false
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise<void>(resolve => {
      if (this.#server) this.#server.close(() => resolve())
      else resolve()
    })
  }

  #join(near: Socket): void {
    const far = createConnection(this.#target)
    const pair = { near, far }
    this.#pairs.add(pair)
    let isSwallowed = this.#isHole
    const pass = (from: Socket, to: Socket) => {
      from.on('data', data => {
        isSwallowed ||= this.#isHole
        if (isSwallowed) return
        to.write(data)
        if (from !== near || this.#last === undefined || !data.includes(this.#last)) return
        this.#last = undefined
        isSwallowed = true
        // The server has it by then, and answers to nobody.
        setTimeout(() => {
          near.destroy()
          far.destroy()
        }, 50)
      })
      from.on('error', () => {})
      from.on('close', () => {
        this.#pairs.delete(pair)
        if (!isSwallowed) to.destroy()
      })
    }
    pass(near, far)
    pass(far, near)
  }
}
