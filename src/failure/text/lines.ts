import { isDumpOpening, isFrame, opensSource, RICH_TRACEBACK } from './frames.ts'
import { anyOf, mayContain, type Prefilter, prefilterOf } from './prefilter.ts'
import { BOX_EDGE, stripTerminal } from './printable.ts'

/**
 * A program's output, sorted by how much its lines prove. The final error decides. Retry banners count only if there is no
 * final error, noise only if there is not even a banner. Stack frames never count, because they quote code.
 */
export interface SortedLines {
  final: string
  /** Retry banners; noise if there are none. */
  late: string
  /** Without noise: warnings, update notices and helpers' start-up complaints, which successful runs print too. */
  banners: string
  /** True if a timer's stack frame was seen: then an abort came from a clock. */
  timerFired: boolean
}

export function sortLines(text: string): SortedLines {
  const clean = stripTerminal(text)
  const prefilter = prefilterOf(clean)
  if (!clean.includes('\n') && !mayContain(prefilter, TELLING) && !isFrame(clean)) return lineAlone(clean)
  const sorter = new Sorter(prefilter)
  for (const line of clean.split('\n')) sorter.add(line)
  return sorter.sorted()
}

/** For the usual text: one line that is neither a banner nor noise, or text sorted earlier. */
export function lineAlone(final: string): SortedLines {
  return { final, late: '', banners: '', timerFired: false }
}

class Sorter {
  /** What this text can contain at all. */
  readonly #hasBoxes: boolean
  readonly #hasBanners: boolean
  readonly #noiseForms: readonly RegExp[]
  #final: string[] = []
  #banners: string[] = []
  #noise: string[] = []
  #timerFired = false
  /** What the previous line opened: a frame with its source line, a traceback box, an object printed after a banner. */
  #inside: 'source' | 'traceback' | 'dump' | undefined

  constructor(prefilter: Prefilter) {
    this.#hasBoxes = mayContain(prefilter, BOXES)
    this.#hasBanners = mayContain(prefilter, BANNER_WORDS)
    this.#noiseForms = NOISE.filter(({ needs }) => mayContain(prefilter, needs)).map(({ form }) => form)
  }

  add(line: string): void {
    if (this.#isContinued(line)) return
    this.#inside = undefined
    if (this.#hasBoxes && RICH_TRACEBACK.test(line)) {
      this.#inside = 'traceback'
    } else if (this.#hasBoxes && BOX_EDGE.test(line)) {
      return
    } else if (isFrame(line)) {
      this.#timerFired ||= /\bTimeout\._onTimeout\b/.test(line)
      if (opensSource(line)) this.#inside = 'source'
    } else if (this.#hasBanners && isBanner(line)) {
      if (isBareBanner(line)) this.#takeBackError()
      this.#banners.push(line.replace(LOG_MESSAGE, ''))
      if (isDumpOpening(line)) this.#inside = 'dump'
    } else if (this.#isNoise(line)) {
      this.#noise.push(line)
    } else {
      this.#final.push(line)
    }
  }

  /** True for a line that belongs to what stands above it. */
  #isContinued(line: string): boolean {
    if (this.#inside === 'source') return /^\s{4,}\S/.test(line)
    if (this.#inside === 'traceback') {
      if (BOX_EDGE.test(line)) this.#inside = undefined
      return true
    }
    if (this.#inside !== 'dump' || !/^(?:\s|[}\])]|$)/.test(line)) return false
    if (!isFrame(line)) this.#banners.push(line)
    return true
  }

  #isNoise(line: string): boolean {
    return line.length <= LONGEST_LINE && this.#noiseForms.some(form => form.test(line))
  }

  /** "Retrying in 2 seconds" on its own line refers to the error above it, so that error is not final either. */
  #takeBackError(): void {
    const from = this.#final.length - LONGEST_ERROR
    const near = this.#final.slice(Math.max(0, from))
    const at = near.findLastIndex(line => ERROR_OPENING.test(line))
    if (at >= 0) this.#banners.push(...this.#final.splice(Math.max(0, from) + at))
  }

  sorted(): SortedLines {
    const late = this.#banners.length > 0 ? this.#banners : this.#noise
    return {
      final: this.#final.join('\n'),
      late: late.join('\n'),
      banners: this.#banners.join('\n'),
      timerFired: this.#timerFired,
    }
  }
}

const LONGEST_LINE = 4_000
const LONGEST_ERROR = 8
const ERROR_OPENING = /^\W{0,6}(?:litellm\.|api request failed|[\w.]{0,60}(?:error|exception)\b)/i

/** Each with a word that it must contain, in lower case. */
const BANNERS: readonly (readonly [needs: string, form: RegExp])[] = [
  ['reconnecting', /\breconnecting\b.{0,20}(?:\d+\s*\/\s*\d+|waiting for)/i],
  ['retrying', /\bretrying (?:in|after|with|again|\(?\d+\s*\/\s*\d+|#?\d+|attempt|api request)/i],
  ['retrying', /\bretrying(?:\.{2,}|…)\s*$/i],
  ['attempt', /\battempt #?\d+(?:\s*\/\s*\d+\)?| of \d+)?(?:\s+failed\b|\s*\)|\s*$|[,:;.…])/i],
  ['will ', /\bwill (?:now |be )?(?:retry|retried) (?:in|after|automatically)\b/i],
  ['retrying', /\[retrying\b|[;,] retrying\b/i],
  ['falling back', /\bfalling back (?:from|to)\b/i],
  ['switching to the', /\bswitching to the \S{1,60} model\b/i],
  ['stream error', /\blevel=error\b.{0,200}\bmessage="?stream error\b/i],
]

/** opencode logs every failed request under this title, followed by the cause. */
const LOG_MESSAGE = /\bmessage="?stream error\b"?\s?/i

const BANNER_WORDS = anyOf('retr', 'reconnect', 'attempt', 'falling back', 'switching', 'stream error')
/** Two box-drawing characters, which are not ASCII. */
const BOXES = anyOf('──')

/** True for a line in which a program says it goes on: it tries again, or takes another way. */
export function isBanner(line: string): boolean {
  if (line.length > LONGEST_LINE) return false
  const lowered = line.toLowerCase()
  return BANNERS.some(([needs, form]) => lowered.includes(needs) && form.test(line))
}

/** True for a banner that names no cause. */
function isBareBanner(line: string): boolean {
  return /^\W*(?:will )?retr(?:y|ying|ied)\b[^:]{0,60}$/i.test(line)
}

/** Lines that successful runs print too, each with words that it must contain. */
const NOISE = [
  {
    needs: anyOf(
      'experimentalwarning',
      'deprecationwarning',
      'maxlistenersexceeded',
      'punycode',
      'use `node',
    ),
    form: /ExperimentalWarning|DeprecationWarning|MaxListenersExceeded|\bpunycode\b|Use `node --trace/i,
  },
  {
    needs: anyOf('npm warn', 'npm notice', 'update available', 'new version'),
    form: /^\s*npm (?:warn|notice)|update available|\bnew version\b.{0,40}\bavailable/i,
  },
  {
    needs: anyOf('warn', '[info]', '[debug]', '[trace]'),
    form: /^\s*\W{0,4}(?:warning|warn)\b[:\s]|^\s*\[(?:warning|warn|info|debug|trace)\]/i,
  },
  {
    needs: anyOf('0000-00-00'),
    form: /^\s*(?:\[\w+\] )?\d{4}-\d\d-\d\d[T ][\d:.,]+Z?[\s-]+\[?(?:WARN(?:ING)?|INFO|DEBUG|TRACE)\b/,
  },
  {
    needs: anyOf('level=', '0000-'),
    form: /\blevel=(?:warn|info|debug|trace)\b|^(?:INFO|DEBUG|WARN)\s+\d{4}-/i,
  },
  {
    needs: anyOf('rust_backtrace', 'full report available', 'loaded cached'),
    form: /^note: run with `RUST_BACKTRACE|Full report available at: \S+\s*$|Loaded cached credentials/,
  },
  {
    needs: anyOf('yolo mode', 'hook registry', 'input from stdin', 'no stdin data'),
    form: /YOLO mode is enabled|Hook registry initialized|Reading additional input from stdin|no stdin data received in/,
  },
  {
    needs: anyOf('[claude-code:', '💡', 'tip:', 've used', 'now using usage'),
    form: /\[claude-code:\w+\]|^\s*💡|^\s*Tip:|^You(?:'|’)ve used \d+% of|^Now using usage credits/,
  },
  { needs: anyOf('they may be down'), form: /\bThey may be down or overloaded/ },
  {
    needs: anyOf('mcp client', 'mcp server', 'mcp issues', 'mcp context'),
    form: /\bMCP (?:client for|server|issues|context)\b.{0,80}(?:timed out|failed|not connected|skipp|detected|error)/i,
  },
  { needs: anyOf('error during discovery', '[mcp'), form: /Error during discovery for \[?MCP|^\s*\[MCP/ },
  {
    needs: anyOf('telemetry', 'otel', 'otlp', 'statsig', 'sentry'),
    form: /\b(?:telemetry|otel|opentelemetry|otlp|statsig|sentry)\b.{0,80}(?:fail|error|timed? ?out|drop|refused)/i,
  },
]

/** A line without any of these is neither a banner, nor noise, nor part of a box. */
const TELLING = anyOf(
  ...[BANNER_WORDS, BOXES, ...NOISE.map(({ needs }) => needs)].flatMap(({ list }) => list),
)
