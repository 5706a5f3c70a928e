import { HTML_TYPE } from '../../lab/reply.ts'
import { json, page, type ReplyFault } from './field-faults.ts'

/** What hotels, meshes, clouds' gateways, resellers and company networks answer in place of a vendor. */
export const ROAD_FAULTS = {
  captive_portal: {
    summary: '511: a network asks for a login first',
    expected: { class: 'permanent', kind: 'auth' },
    reply: () => page(511, 'Network Authentication Required'),
  },
  origin_unresolved: {
    summary: '530 of Cloudflare: the name of the origin cannot be resolved',
    // Cloudflare calls it not retryable: whoever owns the site has to change its names.
    expected: { class: 'permanent', kind: 'config' },
    reply: () => ({
      status: 530,
      headers: { 'content-type': 'text/plain', server: 'cloudflare' },
      parts: ['error code: 1016'],
    }),
  },
  no_healthy_upstream: {
    summary: '503 of a mesh that has no server left, as plain text',
    expected: { class: 'transient', kind: 'network' },
    reply: () => ({ status: 503, headers: { 'content-type': 'text/plain' }, parts: ['no healthy upstream'] }),
  },
  endpoint_timed_out: {
    summary: "504 of a cloud's gateway, without any type",
    expected: { class: 'timeout', kind: 'gateway_timeout' },
    reply: () => json(504, { message: 'Endpoint request timed out' }),
  },
  wait_in_detail: {
    summary: '429 of a small server: the wait stands in a sentence',
    expected: { class: 'throttle', kind: 'rate_limit' },
    reply: () => json(429, { detail: 'Request was throttled. Expected available in 42 seconds.' }),
  },
  team_without_credits: {
    summary: '403 of a vendor: a new team has bought nothing yet',
    expected: { class: 'throttle', kind: 'billing' },
    reply: () =>
      json(403, {
        code: 'The caller does not have permission to execute the specified operation',
        error:
          "Your newly created team doesn't have any credits or licenses yet. You can purchase those in the console.",
      }),
  },
  larger_than_a_minute: {
    summary: '413: the request alone exceeds the tokens of a minute',
    expected: { class: 'permanent', kind: 'request_too_large' },
    reply: () =>
      json(413, {
        error: {
          message:
            'Request too large for model `lab-1` in organization `org_1` on tokens per minute (TPM): Limit 6000, Requested 9182, please reduce your message size and try again.',
          type: 'tokens',
          code: 'rate_limit_exceeded',
        },
      }),
  },
  length_refused: {
    summary: '422 of an inference server: input and output do not fit together',
    expected: { class: 'permanent', kind: 'context_overflow' },
    reply: () =>
      json(422, {
        error:
          'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 512 `max_new_tokens`',
        error_type: 'validation',
      }),
  },
  leak_prevented: {
    summary: "403 of a company's filter: the question may not leave the house",
    expected: { class: 'permanent', kind: 'forbidden' },
    reply: () => ({
      status: 403,
      headers: { 'content-type': HTML_TYPE, via: '1.1 filter.corp.example' },
      parts: [
        '<html><head><title>Access blocked</title></head><body><p>This upload was stopped by the data protection policy of Example Corp. Ask your IT service desk. Incident 4711.</p></body></html>\n',
      ],
    }),
  },
  bare_object: {
    summary: '200 with an empty JSON object',
    expected: { class: 'transient', kind: 'bad_json' },
    reply: () => json(200, {}),
  },
} satisfies Record<string, ReplyFault>
