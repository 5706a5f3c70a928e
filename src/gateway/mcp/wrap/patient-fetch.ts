type Fetch = (url: string, init: RequestInit) => Promise<Response>

let loaded: Promise<Fetch> | undefined

/**
 * `fetch` without a limit of its own. Node's gives up on a response that is silent for five minutes, but a tool may take as
 * long as its settings allow, and an event stream may be silent for hours. Loaded on first use, because most servers are programs.
 */
export async function patientFetch(url: string, init: RequestInit): Promise<Response> {
  loaded ??= load()
  return (await loaded)(url, init)
}

async function load(): Promise<Fetch> {
  const { Agent, fetch } = await import('undici')
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  return (url, init) => fetch(url, { ...(init as object), dispatcher }) as unknown as Promise<Response>
}
