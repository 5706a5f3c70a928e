import { createConnection, createServer, type Socket } from 'node:net'

/** A proxy to a server that can cut connections, swallow everything, or switch to another server. */
export class TestProxy {
  #target: { host: string; port: number }
  readonly #pairs = new Set<{ near: Socket; far: Socket }>()
  #server: ReturnType<typeof createServer> | undefined
  #isHole = false
  #last: string | undefined

  constructor(target: { host: string; port: number }) {
    this.#target = target
  }

  /** Starts it. Returns its port. */
  listen(host = '127.0.0.1'): Promise<number> {
    const server = createServer(near => this.#join(near))
    this.#server = server
    return new Promise(resolve => {
      server.listen(0, host, () => resolve((server.address() as { port: number }).port))
    })
  }

  /** Ends every open connection; new ones pass. */
  cut(): void {
    for (const { near, far } of this.#pairs) {
      near.destroy()
      far.destroy()
    }
  }

  /** Ends every open connection; new ones go to another server. */
  switchTo(target: { host: string; port: number }): void {
    this.#target = target
    this.cut()
  }

  /** Ends the next connection that sends this text, after forwarding it and before the answer. */
  cutAfter(text: string): void {
    this.#last = text
  }

  /** Silently drops everything in both directions, on new connections too. */
  swallow(): void {
    this.#isHole = true
  }

  /** Lets new connections pass again; swallowed ones stay dead, as after a change of network. */
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
        // By then the server has received it, and its answer is lost.
        setTimeout(() => {
          near.destroy()
          far.destroy()
        }, 50)
      })
      from.on('error', () => {})
      from.on('close', () => {
        // A swallowed one still has its other end, which must be ended too.
        if (to.destroyed) this.#pairs.delete(pair)
        else if (!isSwallowed) to.destroy()
      })
    }
    pass(near, far)
    pass(far, near)
  }
}
