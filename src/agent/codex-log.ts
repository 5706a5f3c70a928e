import type { RunProgress } from './run-progress.ts'

/** A model request in codex's log: its address, then its status and headers, or that it failed without an answer. */
const REQUEST =
  /\bcodex_http_client::client: Request (?:completed|failed) method=POST url=(\S+\/(?:responses|chat\/completions))\S* (?:status=(\d{3}) ?([^{]*?) ?headers=(\{.*\}) version=|is_timeout=)/

/** Header names and values as Rust prints them, which is JSON unless a value is not text. */
const HEADER = /"((?:[^"\\]|\\.)*)": "((?:[^"\\]|\\.)*)"/g

/** Whether a line was logged only because we asked for it. */
export function isRequestLog(line: string): boolean {
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z\s+(?:DEBUG|TRACE)\s/.test(line)
}

/** Counts codex's failed requests, which it repeats silently, and reads how long it was told to wait. */
export function watchRequests(line: string, progress: RunProgress): void {
  const [, url, status, reason = '', headers] = REQUEST.exec(line) ?? []
  if (url === undefined) return
  progress.endpoint = url
  if (status === undefined) {
    progress.selfRetried({ by: 'request', cause: { message: `Connection failed: ${url}` } })
    return
  }
  if (Number(status) < 400) return
  progress.selfRetried({
    by: 'request',
    cause: { status: Number(status), message: `${status} ${reason}`, headers: headersIn(headers ?? '') },
    // It refreshes its login after a refusal, and repeats no other one.
    ...(Number(status) < 500 && status !== '429' ? { hasAnotherWay: true } : {}),
  })
}

function headersIn(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(HEADER)].map(([, name = '', value = '']) => [name, value]))
}
