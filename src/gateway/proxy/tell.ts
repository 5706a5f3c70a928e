import type { ServerResponse } from 'node:http'
import type { ModelApi } from '../../config/model-apis.ts'
import { sendJson } from './deliver.ts'
import { errorBody, errorEvent, type StreamKind, type Told } from './in-vendor-words.ts'

/** Tells a client what we say ourselves, as its vendor would: in its stream, if that has begun. */
export function tell(
  to: ServerResponse,
  api: ModelApi,
  told: Told,
  stream?: StreamKind,
  headers: Record<string, string> = {},
): void {
  if (to.headersSent && stream) to.end(errorEvent(stream, told))
  else sendJson(to, told.status, errorBody(api, told), headers)
}

/** Tells a client that a limit which the user set is reached. */
export function tellExceeded(to: ServerResponse, api: ModelApi, message: string, stream?: StreamKind): void {
  const final = { 'x-should-retry': 'false', 'x-mulligan-failure': 'rail/max_budget' }
  tell(to, api, { class: 'rail', status: 402, message }, stream, final)
}
