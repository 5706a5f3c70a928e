import type { LoadedConfig } from '../../config/loaded.ts'
import { MODEL_APIS } from '../../config/model-apis.ts'

/** A summary of what a config would start, load and send, so a user can decide whether to trust it. */
export function actionsOf({ config }: LoadedConfig): string {
  const { providers, capabilities, councils, surfaces, upstreams, queue } = config
  const programs = [
    ...providers.flatMap(({ id, api, cli, command, probe }) => [
      ...(command !== undefined ? [`${command}`] : api === undefined ? [cli ?? id] : []),
      ...(probe?.argv?.[0] === undefined ? [] : [`${probe.argv[0]}`]),
    ]),
    ...capabilities.flatMap(({ argv, verify }) =>
      [argv?.[0], verify?.argv?.[0]].flatMap(program => (program === undefined ? [] : [`${program}`])),
    ),
    ...councils.flatMap(({ members, aggregator }) =>
      [...members, ...(aggregator ? [aggregator] : [])].flatMap(({ command }) =>
        command?.[0] === undefined ? [] : [`${command[0]}`],
      ),
    ),
    ...[...surfaces, ...upstreams].flatMap(({ argv }) => (argv?.[0] === undefined ? [] : [`${argv[0]}`])),
  ]
  const modules = [
    ...queue.modules,
    ...capabilities.flatMap(({ module }) => (module === undefined ? [] : [module])),
  ]
  const requested = capabilities.flatMap(({ http, verify }) => [http?.url, verify?.http?.url])
  const vendors = providers.map(({ api, baseUrl }) => api && (baseUrl ?? MODEL_APIS[api]))
  const addresses = [...requested, ...upstreams.map(({ url }) => url), ...vendors].flatMap(url =>
    url === undefined ? [] : [`${url}`],
  )
  const notified = surfaces.map(({ name, kind, url, baseUrl, webhook, repo, vault }) => {
    const where = url ?? baseUrl ?? webhook ?? repo ?? vault
    return where === undefined ? `${name} (${kind})` : `${name} (${kind}, ${where})`
  })
  const actions = [
    ...(programs.length > 0 ? [`start ${listed(programs)}`] : []),
    ...(modules.length > 0 ? [`load ${listed(modules)}`] : []),
    ...(addresses.length > 0 ? [`send requests to ${listed(addresses)}`] : []),
    ...(notified.length > 0 ? [`send notices to ${listed(notified)}`] : []),
  ]
  return actions.length > 0 ? actions.join(', ') : 'decide how agents run'
}

function listed(names: readonly string[]): string {
  const once = [...new Set(names)]
  const shown = once.slice(0, 5).map(name => JSON.stringify(name))
  return `${shown.join(', ')}${once.length > shown.length ? ` and ${once.length - shown.length} more` : ''}`
}
