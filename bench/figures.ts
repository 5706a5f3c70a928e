import { writeFileSync } from 'node:fs'

/** One measured line of the performance page. */
export interface Figure {
  /** What was measured, such as "a successful call". */
  what: string
  /** Of the values, such as "µs" or "per second". */
  unit: string
  /** Values by who was measured. Ours comes first, and is compared with each of the others. */
  values: Readonly<Record<string, number>>
  /** Which value is the better one. */
  better: 'less' | 'more'
  /** What ours must reach, in words. */
  aim?: string
}

const figures: Figure[] = []

/** Keeps a figure for the performance page. Without `BENCH_FIGURES`, the file to write them to, nobody reads them. */
export function figure(measured: Figure): void {
  figures.push(measured)
}

const { BENCH_FIGURES } = process.env
if (BENCH_FIGURES !== undefined)
  // At the exit, because some measurements end the process themselves.
  process.on('exit', () => writeFileSync(BENCH_FIGURES, JSON.stringify(figures)))
