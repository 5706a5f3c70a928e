import { PushedAnswer, type PushedBody } from '../../call/stream/pushed.ts'

/** Headers as an HTTP client gives them. */
export type GivenHeaders = Record<string, string | string[] | undefined>

/** The answer of a provider, whose body is passed on as it comes. */
export class UpstreamAnswer extends PushedAnswer {
  /** The headers as they go on: each by its name in lower case, those that came several times as lists. */
  readonly given: Readonly<Record<string, string | string[]>>

  constructor(status: number, headers: GivenHeaders, body: PushedBody) {
    const given: Record<string, string | string[]> = {}
    const byName = new Map<string, string>()
    for (const name in headers) {
      const value = headers[name]
      if (value === undefined) continue
      const bytes = Array.isArray(value) ? value.map(inBytes) : inBytes(value)
      given[name] = bytes
      byName.set(name, Array.isArray(bytes) ? bytes.join(', ') : bytes)
    }
    super(status, '', byName, body)
    this.given = given
  }
}

/** A header with letters beyond Latin-1 goes on as the bytes that came. */
function inBytes(header: string): string {
  return /[^\0-\xff]/.test(header) ? Buffer.from(header).toString('latin1') : header
}
