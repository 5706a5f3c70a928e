// What `mulligan demo` runs: a module of capabilities like any user's. Each asks a model of the lab, which stands in for
// three vendors and fails on command.
import { z } from 'zod'
import type { WorkContext } from '../../capability/context.ts'
import { defineCapability } from '../../capability/define.ts'
import { realTime, sleep } from '../../time/time.ts'

/** The variable that says where the lab is. */
export const LAB_VARIABLE = 'MULLIGAN_DEMO_LAB'

/** How to call each provider, and the cost of a token in US dollars. */
const VENDORS: Readonly<Record<string, { path: string; body: (text: string) => unknown; usd: number }>> = {
  claude: {
    path: '/v1/messages',
    body: text => ({
      model: 'claude-sonnet-4-5',
      max_tokens: 256,
      messages: [{ role: 'user', content: text }],
    }),
    usd: 0.000_015,
  },
  codex: { path: '/v1/responses', body: text => ({ model: 'gpt-5-codex', input: text }), usd: 0.000_01 },
  gemini: {
    path: '/v1beta/models/gemini-2.5-pro:generateContent',
    body: text => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
    usd: 0.000_005,
  },
}

/** Asks the chosen provider, and reports the cost. Throws a refusal unchanged. */
async function ask(text: string, { provider = 'claude', env, signal, charge }: WorkContext): Promise<string> {
  const { path, body, usd } = VENDORS[provider] as (typeof VENDORS)[string]
  // Reading the input takes a while.
  await sleep(realTime, 300 + (text.length % 17) * 120, signal)
  const response = await fetch(`${env[LAB_VARIABLE]}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body(text)),
    signal,
  })
  const answer = await response.text()
  if (!response.ok)
    throw { status: response.status, headers: Object.fromEntries(response.headers), body: answer }
  const tokens = 800 + text.length * 23
  charge({ usd: tokens * usd, tokens })
  return textOf(answer)
}

/** The model's reply: the only long text in any vendor's answer. */
function textOf(answer: string): string {
  return /"text": ?"((?:[^"\\\\]|\\\\.)*)"/.exec(answer)?.[1] ?? answer
}

const common = { retry: 'replay', atomic: true } as const

export const summarise = defineCapability({
  ...common,
  name: 'summarise',
  description: 'Sums up a document; any provider will do',
  pool: ['codex', 'gemini', 'claude'],
  params: z.object({ document: z.string() }),
  run: ({ document }, context) => ask(`Sum up ${document}.`, context),
})

export const review = defineCapability({
  ...common,
  name: 'review',
  description: 'Reviews a branch; only claude may',
  provider: 'claude',
  params: z.object({ branch: z.string(), depth: z.enum(['quick', 'thorough']).default('quick') }),
  run: ({ branch, depth }, context) => ask(`A ${depth} review of ${branch}, please.`, context),
})

export const translate = defineCapability({
  ...common,
  name: 'translate',
  description: 'Translates a page',
  provider: 'gemini',
  params: z.object({ page: z.string(), language: z.string() }),
  run: ({ page, language }, context) => ask(`Translate ${page} into ${language}.`, context),
})

export const deploy = defineCapability({
  name: 'deploy',
  description: 'Writes release notes and deploys',
  provider: 'codex',
  retry: 'none',
  atomic: true,
  secrets: ['token'],
  params: z.object({ service: z.string(), revision: z.string(), token: z.string() }),
  run: ({ service, revision }, context) => ask(`Release notes for ${service} at ${revision}.`, context),
})

export const fileReport = defineCapability({
  ...common,
  name: 'file-report',
  description: 'Files a report with a service whose failures no rule describes yet',
  params: z.object({ report: z.string(), desk: z.number().int() }),
  // No rule matches this failure: the demo shows what happens to it, before and after a label.
  run: ({ report, desk }, { attempts }) => {
    if (attempts.length > 0) return `${report} is filed`
    throw new Error(`desk ${desk}: seat leases of the orrery are drained (ticket ${1_000 + desk * 7})`)
  },
})
