import type { Family, Labels } from './series.ts'

/** Media type of the Prometheus text format. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Families in the Prometheus text format. */
export function expositionOf(families: readonly Family[]): string {
  return families
    .flatMap(family => [
      `# HELP ${family.name} ${family.help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
      `# TYPE ${family.name} ${family.type}`,
      ...family
        .samples()
        .map(
          ({ suffix = '', labels, value }) =>
            `${family.name}${suffix}${labelsText(labels)} ${numberText(value)}`,
        ),
      '',
    ])
    .join('\n')
}

function labelsText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

function escaped(value: string): string {
  return value.toWellFormed().replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function numberText(value: number): string {
  if (value === Infinity) return '+Inf'
  if (value === -Infinity) return '-Inf'
  return Number.isNaN(value) ? 'NaN' : String(value)
}
