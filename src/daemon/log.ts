import { type Logger, pino, stdTimeFunctions } from 'pino'
import type { LogTarget } from './host.ts'

export type { Logger } from 'pino'

/** From most to least verbose. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
/** Least severe level that is logged. */
export type LogLevel = (typeof LOG_LEVELS)[number]

/**
 * Structured logs on stderr: one JSON object per line, or a readable line on a terminal. Every line has
 * `level`, `time`, `component` and `msg`; those about an operation have its `operation` and `capability`.
 */
export function loggerFor(terminal: LogTarget, level: LogLevel): Logger {
  const isRead = terminal.stderrIsTerminal === true
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
    },
    { write: line => terminal.stderr(isRead ? `${lineInWords(line)}\n` : line) },
  )
}

/** Fields that a readable line shows elsewhere or not at all. */
const APART = new Set(['level', 'time', 'component', 'msg', 'err'])

/** A readable log line: time, level unless info, message, then the fields. */
export function lineInWords(line: string): string {
  const entry = JSON.parse(line) as Record<string, unknown> & { err?: { stack?: string } }
  const { level, time, component, msg, err } = entry
  const fields = Object.entries(entry)
    .filter(([name]) => !APART.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const parts = [
    String(time).slice(11, 19),
    ...(level === 'info' ? [] : [String(level).toUpperCase()]),
    `${component}: ${msg}`,
    ...(fields.length > 0 ? [`(${fields.join(' ')})`] : []),
  ]
  // What a stranger wrote may have several lines, and none of them may look like an entry of its own.
  return `${parts.join(' ')}${err?.stack === undefined ? '' : `\n${err.stack}`}`.replaceAll(
    /\r\n?|\n/g,
    '\n    ',
  )
}
