/** How engines spell their names, where that differs. */
const ENGINES: Readonly<Record<string, string>> = {
  bullmq: 'BullMQ',
  dbos: 'DBOS',
  inngest: 'Inngest',
  restate: 'Restate',
  temporal: 'Temporal',
}

/** An engine as it spells itself. */
export function engineInWords(engine: string): string {
  return ENGINES[engine] ?? engine
}
