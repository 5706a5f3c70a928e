declare module 'opossum' {
  /** The little of it that is used here; the package brings no types. */
  export default class CircuitBreaker<A extends unknown[], R> {
    constructor(action: (...args: A) => Promise<R>, options: Record<string, unknown>)
    fire(...args: A): Promise<R>
    on(event: string, listener: () => void): this
  }
}
