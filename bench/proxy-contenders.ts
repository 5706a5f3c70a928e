import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../src/process/run.ts'

/** Something that questions can be sent through. */
export interface Contender {
  name: string
  begin: (upstream: string) => Promise<{
    child?: ChildProcess
    url: string
    headers?: Record<string, string>
  }>
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))
/** Where gateways are installed. They are no dependencies of anything. */
const GATEWAYS = process.env.GATEWAYS ?? join(tmpdir(), 'mulligan-gateways')

/** Installs a gateway on first use, and returns its folder. */
async function installed(spec: string): Promise<string> {
  const folder = join(GATEWAYS, spec.replace(/[^\w.-]/g, '_'))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const argv: [string, ...string[]] = ['npm', 'install', '--prefix', folder, '--no-audit', '--no-fund', spec]
  const { exitCode, stderr } = await run({ argv, timeoutMs: 300_000 })
  if (exitCode !== 0) throw new Error(`npm install failed: ${/npm error .*/.exec(stderr)?.[0] ?? stderr}`)
  return join(folder, 'node_modules')
}

function freePort(): Promise<number> {
  const server = createServer()
  return new Promise(resolve =>
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    }),
  )
}

/** Starts a program that says where it listens. */
async function said(argv: readonly string[], pattern: RegExp, cwd?: string) {
  const [program, ...rest] = argv as [string, ...string[]]
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'], ...(cwd ? { cwd } : {}) })
  const url = await new Promise<string>((resolve, reject) => {
    let text = ''
    const hear = (chunk: Buffer) => {
      text = (text + chunk).slice(-20_000)
      const found = pattern.exec(text)
      if (found) resolve(found[1] as string)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('exit', code => reject(new Error(`it ended with ${code}: ${text}`)))
  })
  return { child, url }
}

/** Waits until a port answers. */
async function listening(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const answer = await fetch(url).catch(() => undefined)
    await answer?.body?.cancel()
    if (answer) return
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  throw new Error(`${url} does not answer`)
}

export const CONTENDERS: readonly Contender[] = [
  { name: 'direct', begin: async upstream => ({ url: upstream }) },
  {
    name: 'bare reverse proxy',
    begin: upstream => said([process.execPath, here('proxy-bare.js'), upstream], /(http:\S+)/),
  },
  {
    name: 'mulligan proxy',
    begin: async upstream => {
      const folder = mkdtempSync(join(tmpdir(), 'mulligan-bench-proxy-'))
      const config = join(folder, 'mulligan.toml')
      writeFileSync(
        config,
        `[queue]\ndata = "${folder}"\n[[provider]]\nid = "vendor"\napi = "anthropic"\nbase_url = "${upstream}"\n`,
      )
      const argv = [process.execPath, here('../bin/mulligan.js'), 'proxy', '--port', '0', '--config', config]
      return said(argv, /listening on (http:[^;]+);/)
    },
  },
  {
    name: '@portkey-ai/gateway 1.15.2',
    begin: async upstream => {
      const modules = await installed('@portkey-ai/gateway@1.15.2')
      const port = await freePort()
      const server = join(modules, '@portkey-ai/gateway/build/start-server.js')
      const child = spawn(process.execPath, [server, `--port=${port}`, '--headless'], { stdio: 'ignore' })
      const url = `http://127.0.0.1:${port}`
      await listening(url)
      return {
        child,
        url,
        headers: {
          'x-portkey-provider': 'anthropic',
          'x-portkey-custom-host': `${upstream}/v1`,
          authorization: 'Bearer k',
        },
      }
    },
  },
  {
    name: 'better-ccflare 3.5.4',
    begin: async upstream => {
      const modules = await installed('better-ccflare@3.5.4')
      const port = await freePort()
      const home = mkdtempSync(join(tmpdir(), 'mulligan-bench-ccflare-'))
      const program = join(modules, 'better-ccflare/dist/better-ccflare')
      const child = spawn(program, ['--serve', '--port', String(port)], {
        cwd: home,
        env: { PATH: process.env.PATH, HOME: home },
        stdio: 'ignore',
      })
      const url = `http://127.0.0.1:${port}`
      await listening(url)
      await fetch(`${url}/api/accounts/anthropic-compatible`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'lab', apiKey: 'sk-lab-123456', priority: 0, customEndpoint: upstream }),
      })
      return { child, url }
    },
  },
  {
    // 3.1.1 does not install: a package that it needs is not published.
    name: '@musistudio/claude-code-router 2.0.0',
    begin: upstream => routerTo([upstream]),
  },
]

/** Starts claude-code-router; where the first upstream fails, it falls back to the others. */
export async function routerTo(upstreams: readonly string[]) {
  const modules = await installed('@musistudio/claude-code-router@2.0.0')
  const home = mkdtempSync(join(tmpdir(), 'mulligan-bench-router-'))
  const port = await freePort()
  const names = upstreams.map((_, at) => `vendor-${at}`)
  mkdirSync(join(home, '.claude-code-router'))
  writeFileSync(
    join(home, '.claude-code-router', 'config.json'),
    JSON.stringify({
      HOST: '127.0.0.1',
      PORT: port,
      LOG: false,
      Providers: upstreams.map((upstream, at) => ({
        name: names[at],
        api_base_url: `${upstream}/v1/messages`,
        api_key: 'k',
        models: ['claude-lab-1'],
        transformer: { use: ['Anthropic'] },
      })),
      Router: { default: `${names[0]},claude-lab-1` },
      fallback: { default: names.slice(1).map(name => `${name},claude-lab-1`) },
    }),
  )
  const program = join(modules, '@musistudio/claude-code-router/dist/cli.js')
  const child = spawn(process.execPath, [program, 'start'], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home },
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}`
  await listening(url)
  return { child, url }
}
