/** A model as opencode names it. */
export interface OpencodeModel {
  providerID: string
  modelID: string
}

/** What a call of opencode's client gives: data, or the error of an answer that is no 2xx. It throws only without an answer. */
export interface OpencodeResult {
  data?: unknown
  error?: unknown
  response?: { status?: number }
}

/**
 * The part of opencode's client that is used here. Both the client that a plugin is given and that of
 * `@opencode-ai/sdk` have it; nothing of them is imported.
 */
export interface OpencodeClient {
  session: {
    // Methods, so that a client with narrower types is one too.
    create(options: never): Promise<OpencodeResult>
    prompt(options: never): Promise<OpencodeResult>
    abort(options: never): Promise<OpencodeResult>
  }
  event: {
    subscribe(options?: never): Promise<{ stream: AsyncIterable<unknown> }>
  }
}

/** Calls a method of the client, whatever its types. */
export function asked(
  call: (options: never) => Promise<OpencodeResult>,
  options: object,
): Promise<OpencodeResult> {
  return call(options as never)
}
