import type { Api, Vendor } from '../../lab/request.ts'
import { classify } from '../../src/failure/classify.ts'
import type { Failure } from '../../src/failure/failure.ts'

/** One way to ask a model, for tests that go through all of them. */
export interface Ask {
  name: string
  vendor: Vendor
  api: Api
  streams: boolean
  path: string
  body: Record<string, unknown>
}

const MESSAGES = [{ role: 'user', content: 'say hi' }]
const CONTENTS = { contents: [{ role: 'user', parts: [{ text: 'say hi' }] }] }

export const ASKS: readonly Ask[] = [
  ask('messages', 'anthropic', '/v1/messages', { model: 'claude-lab-1', max_tokens: 64, messages: MESSAGES }),
  ask('responses', 'openai', '/v1/responses', { model: 'gpt-lab-1', input: 'say hi' }),
  ask('chat', 'openai', '/v1/chat/completions', { model: 'gpt-lab-1', messages: MESSAGES }),
  ask('generate', 'gemini', '/v1beta/models/gemini-lab-1:generateContent', CONTENTS),
  ask('messages', 'anthropic', '/v1/messages', {
    model: 'claude-lab-1',
    max_tokens: 64,
    messages: MESSAGES,
    stream: true,
  }),
  ask('responses', 'openai', '/v1/responses', { model: 'gpt-lab-1', input: 'say hi', stream: true }),
  ask('chat', 'openai', '/v1/chat/completions', { model: 'gpt-lab-1', messages: MESSAGES, stream: true }),
  ask('generate', 'gemini', '/v1beta/models/gemini-lab-1:streamGenerateContent?alt=sse', CONTENTS),
  ask('generate', 'gemini', '/v1beta/models/gemini-lab-1:streamGenerateContent', CONTENTS),
]

function ask(api: Api, vendor: Vendor, path: string, body: Record<string, unknown>): Ask {
  const framing = path.includes('alt=sse') || body.stream === true ? 'stream' : 'json'
  const name = `${api} ${path.endsWith(':streamGenerateContent') ? 'array' : framing}`
  return { name, vendor, api, streams: framing === 'stream', path, body }
}

/** Sends a request and reads the answer like a plain client: JSON as JSON, every stream event as JSON. */
export async function meet(
  url: string,
  { path, body }: Ask,
  signal: AbortSignal = AbortSignal.timeout(30_000),
): Promise<{ status: number; headers: Record<string, string>; body: string }> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer lab' },
    body: JSON.stringify(body),
    signal,
  })
  const answer = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  }
  if (response.status < 400) for (const text of jsonOf(answer)) JSON.parse(text)
  return answer
}

function jsonOf({ headers, body }: { headers: Record<string, string>; body: string }): string[] {
  if (!headers['content-type']?.includes('event-stream')) return [body]
  return body
    .split('\n')
    .filter(line => line.startsWith('data:') && line.trim() !== 'data: [DONE]')
    .map(line => line.slice(5))
}

/** How `classify` reads the exchange, whether it threw or answered. */
export async function failureOf(
  url: string,
  ask: Ask,
  now: number,
  signal?: AbortSignal,
): Promise<Failure | null> {
  const context = { provider: ask.vendor, now }
  try {
    return classify(await meet(url, ask, signal), context)
  } catch (error) {
    return classify(error, context)
  }
}
