import { EXPOSITION_TYPE } from '../metrics/exposition.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { type Route, route } from '../route.ts'

/** The page that Prometheus scrapes. */
export function metricRoutes(metrics: Metrics): readonly Route[] {
  const page = route({
    method: 'get',
    path: '/metrics',
    id: 'getMetrics',
    summary: 'Metrics for Prometheus',
    demand: 'look',
    answers: { 200: { description: 'The Prometheus text format', type: 'text/plain' } },
    run: async () =>
      new Response(await metrics.page(), {
        headers: { 'content-type': EXPOSITION_TYPE, 'cache-control': 'no-store' },
      }),
  })
  return [page]
}
