import { addressFor, bodyFor, type Endpoint } from '../../sdk/fetch/endpoint.ts'
import type { ModelRequest } from '../../sdk/fetch/model-request.ts'

/** What a client sends, without its keys: they are added for whom they are for. */
export interface ClientRequest extends Omit<ModelRequest, 'headers' | 'init'> {
  method: string
  headers: Readonly<Record<string, string>>
}

/** The request as it goes to an upstream. */
export function requestTo(
  request: ClientRequest,
  endpoint: Endpoint,
  signal: AbortSignal,
): { url: URL; init: RequestInit } {
  const init: RequestInit = {
    method: request.method,
    headers: { ...request.headers, ...endpoint.headers },
    redirect: 'manual',
    signal,
  }
  const body = bodyFor(request, endpoint)
  if (body !== undefined) init.body = body
  return { url: addressFor(request, endpoint, [endpoint]), init }
}
