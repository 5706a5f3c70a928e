import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { gzipSync } from 'node:zlib'

/** First path segments of the dashboard's views. All serve the same page, which decides what to show. */
const VIEWS: ReadonlySet<string> = new Set([
  '',
  'audit',
  'config',
  'groups',
  'insights',
  'notices',
  'operations',
  'providers',
  'proxy',
  'runners',
  'schedules',
  'sign-in',
  'start',
  'unknowns',
  'workflows',
])

/** Only the dashboard's own files run; text can never become code. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

const NOT_BUILT = 'The dashboard is not built. In a clone, run: npm run build\n'

interface DashboardFile {
  bytes: Buffer<ArrayBuffer>
  gzipped: Buffer<ArrayBuffer>
  headers: Record<string, string>
}

/**
 * The files of the dashboard, all read before the first is served: a path is a name in a table, and never reaches the
 * file system.
 */
export class Dashboard {
  readonly #folder: string
  #files: ReadonlyMap<string, DashboardFile> | undefined

  /** @param folder the folder with the build */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** The answer to a request for a page or a file. Undefined if the path is neither. */
  answer(path: string, header: (name: string) => string | undefined): Response | undefined {
    const [first = ''] = path.slice(1).split('/', 1)
    const isView = VIEWS.has(first)
    // A person who mistyped an address gets a page that says so; a program gets a problem.
    const isMistyped = !isView && !FOR_PROGRAMS.has(first) && /\btext\/html\b/.test(header('accept') ?? '')
    const isPage = isView || isMistyped
    if (!isPage && !path.startsWith('/assets/')) return undefined
    this.#files ??= filesIn(this.#folder)
    const file = this.#files.get(isPage ? '/index.html' : path)
    if (!file)
      return isPage
        ? new Response(NOT_BUILT, { status: 503, headers: { 'content-type': 'text/plain; charset=utf-8' } })
        : undefined
    if (!isMistyped && header('if-none-match') === file.headers.etag)
      return new Response(null, { status: 304, headers: file.headers })
    const isGzip = /\bgzip\b/.test(header('accept-encoding') ?? '')
    return new Response(isGzip ? file.gzipped : file.bytes, {
      status: isMistyped ? 404 : 200,
      headers: { ...file.headers, ...(isGzip ? { 'content-encoding': 'gzip' } : {}) },
    })
  }
}

/** First path segments that are for programs. */
const FOR_PROGRAMS: ReadonlySet<string> = new Set([
  'v1',
  'assets',
  'healthz',
  'readyz',
  'metrics',
  'mcp',
  'openapi.json',
])

function filesIn(folder: string): ReadonlyMap<string, DashboardFile> {
  const files = new Map<string, DashboardFile>()
  for (const name of namesIn(folder)) {
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]
    if (type === undefined) continue
    const bytes = readFileSync(join(folder, name))
    const path = `/${name.split(sep).join('/')}`
    // The name of a file in assets has a hash of its content.
    const isImmutable = path.startsWith('/assets/')
    files.set(path, {
      bytes,
      gzipped: gzipSync(bytes),
      headers: {
        'content-type': type,
        'content-security-policy': POLICY,
        'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
        vary: 'accept-encoding',
        etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`,
      },
    })
  }
  return files
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch {
    return []
  }
}
