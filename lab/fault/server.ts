import { HTML_TYPE } from '../reply.ts'
import type { Expectation, StatusFault, VendorError } from './fault.ts'
import { anthropicError, errorInfo, geminiError, openaiError, retryInfo } from './vendor-error.ts'

/** The vendor, or something in front of it, is in trouble. */
export const SERVER = {
  overloaded: {
    does: 'refuse',
    summary: 'the vendor has no capacity for any caller (529, 503)',
    expected: { class: 'transient', kind: 'overloaded' },
    error: {
      anthropic: facts => anthropicError(facts, 529, 'overloaded_error', 'Overloaded'),
      openai: facts =>
        openaiError(
          facts,
          503,
          'service_unavailable_error',
          'server_is_overloaded',
          'The engine is currently overloaded, please try again later.',
        ),
      gemini: () => geminiError(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
    },
  },
  capacity: {
    does: 'refuse',
    summary: 'no capacity, said with 429, which is not about the caller',
    expected: { class: 'transient', kind: 'overloaded' },
    states: { gemini: 'wait' },
    error: {
      anthropic: facts =>
        anthropicError(facts, 429, 'overloaded_error', 'Overloaded', {
          headers: { 'x-should-retry': 'true' },
        }),
      openai: facts =>
        openaiError(
          facts,
          429,
          'server_error',
          'resource_unavailable',
          'The system is currently experiencing high demand and cannot process your request. The engine is overloaded.',
        ),
      gemini: facts =>
        geminiError(
          429,
          'RESOURCE_EXHAUSTED',
          `No capacity available for model ${facts.request.model} on the server`,
          [errorInfo('MODEL_CAPACITY_EXHAUSTED', {}, 'cloudcode-pa.googleapis.com'), retryInfo(facts.waitMs)],
        ),
    },
  },
  server_error: {
    does: 'refuse',
    summary: 'the vendor has an internal error (500)',
    expected: { class: 'transient', kind: 'server_error' },
    error: {
      anthropic: facts => anthropicError(facts, 500, 'api_error', 'Internal server error'),
      openai: facts =>
        openaiError(
          facts,
          500,
          'server_error',
          null,
          'The server had an error while processing your request. Sorry about that!',
        ),
      gemini: () =>
        geminiError(
          500,
          'INTERNAL',
          'An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
        ),
    },
  },
  bad_gateway: proxied(
    'a proxy cannot reach the vendor (502, HTML from nginx)',
    { class: 'transient', kind: 'server_error' },
    {
      status: 502,
      headers: { 'content-type': 'text/html', server: 'nginx/1.27.3' },
      body: '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx/1.27.3</center>\r\n</body>\r\n</html>\r\n',
    },
  ),
  gateway_timeout: {
    does: 'refuse',
    summary: 'the vendor takes too long and gives up (504)',
    expected: { class: 'timeout', kind: 'gateway_timeout' },
    kinds: { gemini: 'timeout' },
    error: {
      anthropic: facts => anthropicError(facts, 504, 'timeout_error', 'Request timed out'),
      openai: () => ({
        status: 504,
        headers: { 'content-type': 'text/html', server: 'cloudflare' },
        body: '<html>\r\n<head><title>504 Gateway Time-out</title></head>\r\n<body>\r\n<center><h1>504 Gateway Time-out</h1></center>\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n',
      }),
      gemini: () => geminiError(504, 'DEADLINE_EXCEEDED', 'The request timed out. Please try again.'),
    },
  },
  edge_timeout: proxied(
    'Cloudflare timed out waiting for the vendor (524, HTML)',
    { class: 'timeout', kind: 'gateway_timeout' },
    {
      status: 524,
      headers: { 'content-type': HTML_TYPE, server: 'cloudflare', 'cf-ray': '8f1e2d3c4b5a6978-FRA' },
      body: cloudflarePage(
        'api.lab.example | 524: A timeout occurred',
        'A timeout occurred',
        'Error code 524',
      ),
    },
  ),
  edge_block: proxied(
    'Cloudflare blocks the caller (403, HTML)',
    { class: 'permanent', kind: 'unsupported_region' },
    {
      status: 403,
      headers: { 'content-type': HTML_TYPE, server: 'cloudflare', 'cf-ray': '8f1e2d3c4b5a6978-FRA' },
      body: cloudflarePage(
        'Attention Required! | Cloudflare',
        'Sorry, you have been blocked',
        'You are unable to access api.lab.example',
      ),
    },
  ),
} satisfies Record<string, StatusFault>

/** Errors that do not come from the vendor look the same for all vendors. */
function proxied(summary: string, expected: Expectation, error: VendorError): StatusFault {
  const same = () => error
  return {
    does: 'refuse',
    summary,
    expected,
    error: { anthropic: same, openai: same, gemini: same },
  }
}

function cloudflarePage(title: string, heading: string, line: string): string {
  return `<!DOCTYPE html>
<html lang="en-US">
<head><title>${title}</title><meta charset="UTF-8" /><meta name="robots" content="noindex, nofollow" /></head>
<body>
<div id="cf-wrapper"><div id="cf-error-details">
<h1>${heading}</h1>
<h2>${line}</h2>
<p>Cloudflare Ray ID: <strong>8f1e2d3c4b5a6978</strong> &bull; Performance &amp; security by Cloudflare</p>
</div></div>
</body>
</html>
`
}
