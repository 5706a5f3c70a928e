import { execFileSync } from 'node:child_process'

// A network of its own for each daemon, where the system allows it (Linux, root, iproute2): the daemon reaches the server
// over a cable that can be pulled, and nobody is told, as when a switch fails.

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'ignore' })

/** Networks that were made by this process. */
let made = 0

export class CrashNetwork {
  /** How to start a program in it. */
  readonly command: readonly string[]
  /** Of this end of the cable, where the daemon finds the server. */
  readonly address: string
  readonly #name: string
  readonly #cable: string

  constructor() {
    const number = made++
    this.#name = `mulligan-${process.pid}-${number}`
    // Names of interfaces have 15 characters at most.
    this.#cable = `mg${process.pid.toString(36)}n${number.toString(36)}`
    const net = `10.213.${number % 250}`
    this.address = `${net}.1`
    this.command = ['ip', 'netns', 'exec', this.#name]
    ip('netns', 'add', this.#name)
    ip('link', 'add', this.#cable, 'type', 'veth', 'peer', 'name', 'cable', 'netns', this.#name)
    ip('addr', 'add', `${net}.1/30`, 'dev', this.#cable)
    ip('link', 'set', this.#cable, 'up')
    ip('-n', this.#name, 'addr', 'add', `${net}.2/30`, 'dev', 'cable')
    ip('-n', this.#name, 'link', 'set', 'cable', 'up')
    ip('-n', this.#name, 'link', 'set', 'lo', 'up')
  }

  /** One, where it can be had. */
  static create(): CrashNetwork | undefined {
    try {
      return new CrashNetwork()
    } catch {
      return undefined
    }
  }

  pull(): void {
    this.#try('link', 'set', this.#cable, 'down')
  }

  plug(): void {
    this.#try('link', 'set', this.#cable, 'up')
  }

  remove(): void {
    this.#try('link', 'del', this.#cable)
    this.#try('netns', 'del', this.#name)
  }

  /** The daemon may be gone, and its network with it. */
  #try(...args: string[]): void {
    try {
      ip(...args)
    } catch {}
  }
}
