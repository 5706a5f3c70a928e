import type { IncomingMessage } from 'node:http'
import { hasToken, isOwnCaller } from './access.ts'
import { FAULT_NAMES, FAULTS, LabError } from './fault/table.ts'
import type { Lab } from './lab.ts'
import { CONTENT_SECURITY_POLICY, page } from './page/page.ts'
import { rowsOf } from './page/rows.ts'
import { stateOf } from './page/state.ts'
import { readSteps, stepToJson } from './plan/step.ts'
import { recordToJson } from './record.ts'
import { HTML_TYPE, jsonReply, type Reply } from './reply.ts'
import { urlOf } from './url.ts'

/** The path of the lab's own pages; everything else is a vendor's. */
export const CONTROL_PATH = '/_lab'

/** Answers a request to the lab itself: its page, its records, and its faults. */
export function control(lab: Lab, request: IncomingMessage, text: string): Reply {
  const { headers, method = 'GET', url = '/' } = request
  if (!isOwnCaller(headers)) return refuse(403, 'this page answers only to callers on this machine')
  if (lab.token !== undefined && !hasToken(headers, url, lab.token))
    return refuse(401, 'the lab has a token: send it as "Authorization: Bearer …" or ?token=…')
  const { pathname, searchParams } = urlOf(url)
  const route = `${method} ${pathname.slice(CONTROL_PATH.length) || '/'}`
  switch (route) {
    case 'GET /':
      return html(page(lab))
    case 'GET /rows':
      return searchParams.get('since') === String(lab.version)
        ? { status: 204, headers: {}, parts: [] }
        : {
            ...html(rowsOf(lab.requests)),
            headers: {
              ...html('').headers,
              'x-lab-version': String(lab.version),
              'x-lab-state': stateOf(lab.steps),
            },
          }
    case 'GET /requests':
      return jsonReply(200, lab.requests.map(recordToJson))
    case 'GET /faults':
      return jsonReply(200, { active: lab.steps.map(stepToJson), known: FAULT_NAMES.map(describe) })
    case 'POST /faults':
      return change(headers['content-type'], () => lab.inject(readSteps(parse(text))), lab)
    case 'DELETE /faults':
      return change('application/json', () => lab.clear(), lab)
    case 'POST /reset':
      return change('application/json', () => lab.reset(), lab)
    default:
      return refuse(404, `unknown route ${route}; known: ${ROUTES.join(', ')}`)
  }
}

const ROUTES = [
  `GET ${CONTROL_PATH}`,
  ...['GET /requests', 'GET /faults', 'POST /faults', 'DELETE /faults', 'POST /reset'].map(route =>
    route.replace('/', `${CONTROL_PATH}/`),
  ),
]

/** Requires JSON: a form of another site can send text without a preflight, but not JSON. */
function change(contentType: string | undefined, act: () => void, lab: Lab): Reply {
  if (!contentType?.startsWith('application/json'))
    return refuse(415, 'send JSON: content-type: application/json')
  try {
    act()
  } catch (error) {
    if (error instanceof LabError) return refuse(400, error.message)
    throw error
  }
  return jsonReply(200, { active: lab.steps.map(stepToJson) })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new LabError(`not JSON: ${(error as Error).message}`)
  }
}

function describe(name: (typeof FAULT_NAMES)[number]): Record<string, unknown> {
  const { summary, expected } = FAULTS[name]
  return { name, summary, expected }
}

function refuse(status: number, message: string): Reply {
  return jsonReply(status, { error: { message } })
}

function html(text: string): Reply {
  return {
    status: 200,
    headers: {
      'content-type': HTML_TYPE,
      'cache-control': 'no-store',
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
    parts: [text],
  }
}
