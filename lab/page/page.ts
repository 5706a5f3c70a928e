import { createHash } from 'node:crypto'
import { FAULT_NAMES, FAULTS } from '../fault/table.ts'
import type { Lab } from '../lab.ts'
import { escapeHtml as e } from './escape.ts'
import { rowsOf } from './rows.ts'
import { SCRIPT } from './script.ts'
import { stateOf } from './state.ts'
import { STYLE } from './style.ts'

/** Only the page's own script and style run, no matter what a request contained. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src '${hashOf(SCRIPT)}'`,
  `style-src '${hashOf(STYLE)}'`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The page that shows what was asked and answered. */
export function page(lab: Pick<Lab, 'url' | 'openaiUrl' | 'requests' | 'steps' | 'version'>): string {
  const options = FAULT_NAMES.map(
    name => `<option value="${e(name)}">${e(name)}: ${e(FAULTS[name].summary)}</option>`,
  )
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mulligan lab</title><style>${STYLE}</style></head>
<body><main>
<header><h1>Mulligan lab</h1>
<p class="bases">Anthropic, Gemini <code>${e(lab.url)}</code> · OpenAI <code>${e(lab.openaiUrl)}</code></p></header>
<form>
<select name="fault" aria-label="Fault">${options.join('')}</select>
<button class="main" value="next">Strike the next request</button>
<button value="always">Strike all from now on</button>
<button value="clear">Clear faults</button>
<button value="reset">Start over</button>
<p id="state" role="status">${e(stateOf(lab.steps))}</p>
</form>
<div id="rows" data-version="${lab.version}">${rowsOf(lab.requests)}</div>
</main><script>${SCRIPT}</script></body></html>
`
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
