import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { chromiumPath } from '../../scripts/chromium.ts'
import { Site, type TestDaemon } from '../../test/cli/daemon.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A text that tries everything: markup, a script, marks of direction, escapes of terminals. */
export const HOSTILE =
  '<img src=x onerror="globalThis.hacked=1"><script>hacked=1</script> \u202egnp.exe\u2066 \u001b[31mred\u0007 "q" \'s\' &lt;b&gt;'

const MODULE = `
const HOSTILE = ${JSON.stringify(HOSTILE)}
const later = (_params, { attempts }) => {
  if (attempts.length > 0) return 'done at last'
  throw new Error('seat leases of the orrery are drained, desk ' + Math.floor(Math.random() * 1e6))
}
export const odd = capability('odd', later)
export const good = capability('good', () => 'fine')
export const refused = capability('refused', () => {
  throw Object.assign(new Error('invalid request: no such page'), { status: 400 })
})
export const hostile = defineCapability({
  name: 'hostile',
  params: z.object({ text: z.string(), token: z.string().optional() }),
  secrets: ['token'],
  retry: 'replay',
  run: () => { throw Object.assign(new Error('invalid request: ' + HOSTILE), { status: 400 }) },
})
export const strange = capability('strange', (_params, { attempts }) => {
  if (attempts.length > 0) return 'done at last'
  throw new Error('the astrolabe has lost its rete ' + HOSTILE)
})
export const once = defineCapability({
  name: 'once',
  params: z.object({}),
  retry: 'none',
  run: () => { throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }) },
})
export const picky = defineCapability({
  name: 'picky',
  params: z.object({ n: z.number(), text: z.string().optional() }),
  retry: 'replay',
  run: ({ n }) => {
    if (n === 7) return 'seven'
    throw Object.assign(new Error('invalid request: n must be 7 ' + HOSTILE), { status: 400 })
  },
})
export const choosy = defineCapability({
  name: 'choosy',
  params: z.object({ level: z.enum(['low', 'high']), code: z.string().min(3, 'must be at least three letters') }),
  retry: 'replay',
  run: ({ level }) => level,
})
export const limited = defineCapability({
  name: 'limited',
  params: z.object({}),
  provider: 'claude',
  retry: 'replay',
  run: () => { throw { status: 429, headers: { 'retry-after': '3600' }, body: 'rate limit' } },
})
let isLimited = true
export const lifted = defineCapability({
  name: 'lifted',
  params: z.object({}),
  provider: 'claude',
  retry: 'replay',
  run: () => {
    if (!isLimited) return 'served'
    isLimited = false
    throw { status: 429, headers: { 'retry-after': '3600' }, body: 'rate limit' }
  },
})
`

const CONFIG = `
[queue]
modules = ["./capabilities.mjs"]
[[provider]]
id = "claude"
caps = [{ per = "day", requests = 100 }]
[[provider]]
id = "codex"
probe = { argv = ["sh", "-c", "echo 'invalid x-api-key' >&2; exit 1"] }
[[workflow]]
name = "picky"
[[workflow.step]]
id = "pick"
run = "picky"
params = { n = 1 }
on_fail = "skip_dependents"
[[workflow.step]]
id = "pay"
run = "once"
on_fail = "skip_dependents"
[[workflow.step]]
id = "say"
run = "picky"
params = { n = 7, text = "{results.pick}" }
[[workflow]]
name = "release"
params = { what = {} }
[[workflow.step]]
id = "build"
run = "good"
[[workflow.step]]
id = "approve"
ask = "Release {params.what}?"
answer = { approved = { type = "boolean" } }
after = ["build"]
[[workflow.step]]
id = "ship"
run = "good"
when = "results.approve.approved"
[[schedule]]
name = "nightly"
capability = "good"
cron = "0 3 * * *"
`

/** A finding of axe. */
export interface Finding {
  id: string
  impact: string
  help: string
  nodes: string[]
}

/** A daemon with capabilities that fail in every way, and a browser that looks at it. For tests. */
export class DashboardUnderTest {
  readonly site = new Site()
  readonly url: string
  readonly daemon: TestDaemon
  readonly browser: Browser
  readonly #token: string

  private constructor(site: Site, daemon: TestDaemon, url: string, browser: Browser) {
    this.site = site
    this.daemon = daemon
    this.url = url
    this.browser = browser
    this.#token = readFileSync(join(site.folder, 'state', 'http.token'), 'utf8').trim()
  }

  /**
   * @param database the address of a PostgreSQL ledger. Default a file
   * @param more more of the config
   */
  static async start(database?: string, more = ''): Promise<DashboardUnderTest> {
    const site = new Site()
    site.configure(CONFIG + more)
    site.module('capabilities.mjs', MODULE)
    const ledger = database === undefined ? [] : ['--database', database]
    const daemon = await site.serve('--data', join(site.folder, 'state'), '--http-port', '0', ...ledger)
    const { url } = await daemon.line(({ component, url }) => component === 'http' && typeof url === 'string')
    const browser = await chromium.launch({
      executablePath: chromiumPath() as string,
      args: ['--no-sandbox', '--disable-gpu'],
    })
    return new DashboardUnderTest(site, daemon, url as string, browser)
  }

  /** Asks the API as a program does. */
  async api<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }

  /** Submits an operation, and waits until it is in a state. */
  async submit(capability: string, params: object, state: string): Promise<string> {
    const { id } = await this.api<{ id: string }>('POST', '/v1/operations', { capability, params })
    for (;;) {
      const found = await this.api<{ state: string; attempts: number }>(
        'GET',
        `/v1/operations/${id}?wait_ms=200`,
      )
      if (found.state === state && (state !== 'scheduled' || found.attempts > 0)) return id
    }
  }

  async code(): Promise<string> {
    return (await this.api<{ code: string }>('POST', '/v1/sign_in_codes')).code
  }

  /** A page that is signed in; what it says on its console is an error of the test. */
  async open(path: string, context?: BrowserContext): Promise<Page> {
    const page = await (
      context ?? (await this.browser.newContext({ baseURL: this.url, reducedMotion: 'reduce' }))
    ).newPage()
    page.setDefaultTimeout(30_000)
    if (!context) {
      await page.goto(`${this.url}/sign-in#${await this.code()}`)
      await page.getByRole('navigation', { name: 'Views' }).waitFor()
    }
    await page.goto(`${this.url}${path}`)
    await page.locator('main h1').waitFor()
    return page
  }

  /** Goes to a view as its links do: loading the page anew would take ten times as long. */
  async visit(page: Page, path: string): Promise<void> {
    // Shown with the next frame: until then, it is the view before.
    await page.evaluate(`new Promise(resolve => {
      history.pushState(null, '', ${JSON.stringify(path)})
      dispatchEvent(new PopStateEvent('popstate'))
      requestAnimationFrame(() => setTimeout(resolve))
    })`)
    await page.locator('main h1').waitFor()
  }

  /**
   * What axe finds serious or critical.
   * @param rules only these. Default all of WCAG 2.2 A and AA
   */
  async findings(page: Page, rules?: readonly string[]): Promise<Finding[]> {
    await page.evaluate(`if (!globalThis.axe) { ${AXE} }`)
    return page.evaluate(`axe.run(document, {
      runOnly: ${JSON.stringify(rules ?? ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])},
      resultTypes: ['violations'],
      // It would ask for the style sheets once more.
      preload: false,
    }).then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, impact, help, nodes }) => ({ id, impact, help, nodes: nodes.map(({ html }) => html.slice(0, 200)) })))`)
  }

  async close(): Promise<void> {
    await this.browser.close()
    await this.site.close()
  }
}
