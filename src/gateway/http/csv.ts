import type { z } from 'zod'
import type { operation } from '../../queue/operation-shape.ts'

type OperationJson = z.output<typeof operation>

const COLUMNS: Readonly<Record<string, (operation: OperationJson) => unknown>> = {
  id: ({ id }) => id,
  capability: ({ capability }) => capability,
  state: ({ state }) => state,
  held_by: ({ held_by }) => held_by,
  parked_for: ({ parked_for }) => parked_for,
  dead_as: ({ dead_as }) => dead_as,
  reason: ({ reason }) => reason,
  class: ({ failure }) => failure?.class,
  kind: ({ failure }) => failure?.kind,
  message: ({ failure }) => failure?.message,
  fingerprint: ({ failure }) => failure?.fingerprint,
  providers: ({ providers }) => providers.join(' '),
  attempts: ({ attempts }) => attempts,
  cost_usd: ({ cost_usd }) => cost_usd,
  created_at: ({ created_at }) => created_at,
  due_at: ({ due_at }) => due_at,
  ended_at: ({ ended_at }) => ended_at,
  params: ({ params }) => JSON.stringify(params),
}

/** The first line of a file of operations. */
export const CSV_HEAD = `${Object.keys(COLUMNS).join(',')}\r\n`

/** An operation as a line of CSV (RFC 4180). */
export function csvLine(operation: OperationJson): string {
  return `${Object.values(COLUMNS)
    .map(read => cell(read(operation)))
    .join(',')}\r\n`
}

/** Where a spreadsheet may see the start of a cell: some split at `;` and tabs, and know no quotes inside a cell. */
const FORMULA = /(?<=^|[;\t\r\n])(?=\s{0,9}[=+\-@＝＋－＠])/g

/** A text that a spreadsheet would take for a formula gets an apostrophe, so that it is only shown. */
export function cell(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = String(value)
  const shown = text.replace(FORMULA, "'")
  return /[",;\t\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown
}
