/** A model as opencode names it. */
export interface OpencodeModel {
  providerID: string
  modelID: string
}

/** Result of a call to opencode's client: data, or the error of an answer that is not 2xx. The client throws only without an answer. */
export interface OpencodeResult {
  data?: unknown
  error?: unknown
  response?: { status?: number; headers?: Iterable<[string, string]> | object }
}

/**
 * The part of opencode's client that is used here. The client of a plugin and that of `@opencode-ai/sdk` both have it;
 * neither is imported.
 */
export interface OpencodeClient {
  session: {
    // Methods, because methods are bivariant: a client with narrower types fits too.
    create(options: never): Promise<OpencodeResult>
    prompt(options: never): Promise<OpencodeResult>
    abort(options: never): Promise<OpencodeResult>
  }
  event: {
    subscribe(options?: never): Promise<{ stream: AsyncIterable<unknown> }>
  }
}

/** Calls a method of the client, whose parameter types are unknown here. */
export function callClient(
  call: (options: never) => Promise<OpencodeResult>,
  options: object,
): Promise<OpencodeResult> {
  return call(options as never)
}
