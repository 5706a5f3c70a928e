import type { Problem } from '../config/error.ts'
import type { LoadedConfig } from '../config/loaded.ts'
import { positionOf } from '../config/position-of.ts'
import { commandLine } from './arguments.ts'
import { CLIS } from './clis.ts'
import { type AgentOptions, OPTION_NAMES, OPTION_RULES, OptionError, optionsFromJson } from './options.ts'
import type { AgentSettings } from './settings.ts'

/** What decides whether an agent takes an option. */
type Taker = Pick<AgentSettings, 'id' | 'cli' | 'price' | 'allowDangerous'>

/** Why an agent could never run with these options; undefined if it could. */
export function problemOfOptions(settings: Taker, options: AgentOptions): OptionError | undefined {
  if (options.permissionMode === 'bypassPermissions' && settings.allowDangerous !== true)
    return new OptionError('permission_mode', 'bypass_permissions needs allow_dangerous = true')
  try {
    commandLine(CLIS[settings.cli], settings, options, { prompt: 'x', resume: undefined })
    return undefined
  } catch (error) {
    if (error instanceof OptionError) return error
    throw error
  }
}

/** The mistakes in a config's agents, each with its place. */
export function agentProblems(loaded: LoadedConfig): Problem[] {
  return [...optionProblems(loaded), ...modelProviderProblems(loaded)]
}

function modelProviderProblems(loaded: LoadedConfig): Problem[] {
  return loaded.config.providers.flatMap(({ id, cli, modelProvider }, index) => {
    if (modelProvider === undefined) return []
    const isOfCodex = (cli ?? id) === 'codex'
    if (isOfCodex && /^[\w-]+$/.test(modelProvider)) return []
    const place = positionOf(loaded, [`providers[${index}].modelProvider`, `providers[${index}].id`])
    const wrong = isOfCodex
      ? `must name an entry of model_providers (letters, digits, - and _), not ${JSON.stringify(modelProvider)}`
      : `is only for codex, but its cli is ${JSON.stringify(cli ?? id)}`
    const message = `provider ${JSON.stringify(id)}: model_provider ${wrong}`
    return [{ ...place, path: `provider[${index}].model_provider`, message }]
  })
}

/** The mistakes in `defaults` and `pinned`. */
function optionProblems(loaded: LoadedConfig): Problem[] {
  const { providers } = loaded.config
  return providers.flatMap((provider, index) =>
    (['defaults', 'pinned'] as const).flatMap(key => {
      const problem = problemIn(provider, provider[key])
      if (!problem) return []
      const place = positionOf(loaded, [
        `providers[${index}].${key}.${nameInFile(problem)}`,
        `providers[${index}].id`,
      ])
      const message = `provider ${JSON.stringify(provider.id)}, ${key}: ${problem.message}`
      return [{ ...place, path: `provider[${index}].${key}`, message }]
    }),
  )
}

function problemIn(
  { id, cli, price, allowDangerous }: LoadedConfig['config']['providers'][number],
  given: Readonly<Record<string, unknown>>,
): OptionError | undefined {
  try {
    const options = optionsFromJson(given)
    const known = cli ?? id
    return Object.hasOwn(CLIS, known)
      ? problemOfOptions(
          {
            id,
            cli: known as AgentSettings['cli'],
            allowDangerous,
            ...(price ? { price: { inputUsd: price.inputUsd, outputUsd: price.outputUsd } } : {}),
          },
          options,
        )
      : undefined
  } catch (error) {
    if (error instanceof OptionError) return error
    throw error
  }
}

function nameInFile({ option }: OptionError): string {
  const name = OPTION_NAMES.find(known => known === option)
  return name === undefined ? option : OPTION_RULES[name].json
}
