import { type Family, gauge } from './series.ts'

/** Memory and processor time of this process, under the standard names. */
export function processGauges(now: number): Family[] {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  const seconds = { labels: {}, value: (user + system) / 1e6 }
  const started = Math.round(now / 1_000 - process.uptime())
  return [
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      help: 'Processor time of this daemon.',
      samples: () => [seconds],
    },
    gauge('process_resident_memory_bytes', 'Memory of this daemon.', [{ labels: {}, value: rss }]),
    gauge('process_start_time_seconds', 'When this daemon started, in seconds since 1970.', [
      { labels: {}, value: started },
    ]),
    gauge('nodejs_heap_size_used_bytes', 'JavaScript heap in use by this daemon.', [
      { labels: {}, value: heapUsed },
    ]),
  ]
}
