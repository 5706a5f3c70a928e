import type { Facts } from './facts.ts'
import { tokensOf } from './facts.ts'
import { anthropicError, geminiError, openaiError } from './fault/vendor-error.ts'
import { jsonReply, type Reply } from './reply.ts'
import { urlOf } from './url.ts'

/** Answers to what clients ask besides model calls: token counts, model lists, and anything else. */
export function sideAnswer(facts: Facts): Reply {
  const { wants } = facts.request
  if (wants.what === 'tokens') return tokens(facts)
  if (wants.what === 'models') return models(facts)
  return nothing(facts)
}

function tokens({ request }: Facts): Reply {
  const count = tokensOf(request.text)
  return jsonReply(200, request.vendor === 'gemini' ? { totalTokens: count } : { input_tokens: count })
}

const MODELS = {
  anthropic: ['claude-lab-1', 'claude-lab-2'],
  openai: ['gpt-lab-1', 'gpt-lab-2'],
  gemini: ['gemini-lab-1', 'gemini-lab-2'],
}

function models({ request: { vendor } }: Facts): Reply {
  const names = MODELS[vendor]
  switch (vendor) {
    case 'anthropic':
      return jsonReply(200, {
        data: names.map(id => ({
          type: 'model',
          id,
          display_name: id,
          created_at: '2026-01-01T00:00:00Z',
        })),
        has_more: false,
        first_id: names[0],
        last_id: names.at(-1),
      })
    case 'openai':
      return jsonReply(200, {
        object: 'list',
        data: names.map(id => ({ id, object: 'model', created: 1_767_225_600, owned_by: 'lab' })),
      })
    case 'gemini':
      return jsonReply(200, {
        models: names.map(name => ({
          name: `models/${name}`,
          displayName: name,
          inputTokenLimit: 1_048_576,
          outputTokenLimit: 65_536,
          supportedGenerationMethods: ['generateContent', 'countTokens'],
        })),
      })
  }
}

function nothing(facts: Facts): Reply {
  const { vendor, method, path } = facts.request
  const message = `The lab has no answer to ${method} ${urlOf(path).pathname}`
  const error =
    vendor === 'anthropic'
      ? anthropicError(facts, 404, 'not_found_error', message)
      : vendor === 'openai'
        ? openaiError(facts, 404, 'invalid_request_error', 'unknown_url', message)
        : geminiError(404, 'NOT_FOUND', message)
  return jsonReply(404, error.body, error.headers)
}
