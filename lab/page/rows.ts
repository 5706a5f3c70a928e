import type { LabRecord } from '../record.ts'
import { escapeHtml as e } from './escape.ts'

/** More would make the page slow; all are at GET /_lab/requests. */
const SHOWN = 100

/** The requests as HTML, newest first. */
export function rowsOf(records: readonly LabRecord[]): string {
  if (records.length === 0)
    return '<p class="empty">No requests yet. Point an agent at the lab and run it.</p>'
  const older = records.length - SHOWN
  const rows = records.slice(-SHOWN).toReversed().map(row).join('')
  return older > 0 ? `${rows}<p class="empty">${older} older ones are at GET /_lab/requests.</p>` : rows
}

function row(record: LabRecord): string {
  const { number, vendor, asked, streams, model, fault, method, path } = record
  return `<details id="r${number}" class="${e(toneOf(record))}"><summary>
<span class="number">${number}</span>
<time datetime="${e(new Date(record.at).toISOString())}">${e(new Date(record.at).toISOString().slice(11, 19))}</time>
<span class="asked"><b>${e(vendor)}</b> ${e(asked)}${streams ? ' <i>stream</i>' : ''}</span>
<span class="model">${e(asked === 'other' ? `${method} ${path}` : model)}</span>
<span class="outcome">${fault === undefined ? '' : `<em>${e(fault)}</em> `}${e(outcomeOf(record))}</span>
<span class="took">${record.durationMs === undefined ? '…' : `${record.durationMs} ms`}</span>
</summary>
<div class="both">
<section><h2>Asked</h2><p class="line">${e(`${method} ${path}`)}</p>${headers(record.request.headers)}<pre>${e(pretty(record.request.body))}</pre></section>
<section><h2>Answered</h2><p class="line">${e(outcomeOf(record))}</p>${headers(record.answer.headers)}<pre>${e(pretty(record.answer.body))}</pre></section>
</div></details>`
}

/** What the caller got, in a few words. */
function outcomeOf({ status, sent }: LabRecord): string {
  const words = { whole: '', cut: 'then cut', reset: 'reset', caller_left: 'caller left' }
  const ending = sent === undefined ? (status === undefined ? 'silent' : 'sending') : words[sent]
  return [status === undefined ? '' : String(status), ending].filter(part => part !== '').join(', ')
}

function toneOf({ fault, status, sent }: LabRecord): string {
  if (sent === undefined) return 'open'
  if (fault !== undefined) return 'struck'
  return status !== undefined && status < 400 && sent === 'whole' ? 'fine' : 'odd'
}

function headers(all: Record<string, string>): string {
  const lines = Object.entries(all).map(([name, value]) => `<dt>${e(name)}</dt><dd>${e(value)}</dd>`)
  return lines.length === 0 ? '' : `<dl>${lines.join('')}</dl>`
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
