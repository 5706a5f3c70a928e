import { WrongArgument } from '../../failure/own-error.ts'

/** What every model of the AI SDK says about itself. */
export interface Named {
  readonly provider: string
  readonly modelId: string
}

/** The providers of models, each named once: `openai` of `openai.responses`, with the model where a provider serves several. */
export function providersOf(models: readonly Named[]): string[] {
  const vendors = models.map(({ provider }) => provider.split('.')[0] as string)
  const names = models.map(({ modelId }, at) => {
    const vendor = vendors[at] as string
    return vendors.indexOf(vendor) === vendors.lastIndexOf(vendor) ? vendor : `${vendor}/${modelId}`
  })
  return names.map((name, at) => (names.indexOf(name) === at ? name : `${name}#${at + 1}`))
}

/** Throws unless each is a model of the AI SDK, of the kind that has this method. */
export function checkModels(models: readonly unknown[], method: 'doGenerate' | 'doEmbed'): void {
  for (const [at, model] of models.entries()) {
    if (typeof model === 'object' && model !== null && method in model) continue
    const said = typeof model === 'string' ? `"${model}"` : `a value of type ${typeof model}`
    const wanted = method === 'doGenerate' ? "a language model such as openai('gpt-5')" : 'an embedding model'
    throw new WrongArgument(`resilient: models[${at}] must be ${wanted}, not ${said}`)
  }
}
