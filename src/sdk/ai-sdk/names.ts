import { constructorName, isObject } from '../../failure/observe/read.ts'
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

type Kind = 'language' | 'embedding'

const METHODS: Readonly<Record<Kind, readonly string[]>> = {
  language: ['doGenerate', 'doStream'],
  embedding: ['doEmbed'],
}
const WANTED: Readonly<Record<Kind, string>> = {
  language: "a language model such as openai('gpt-5')",
  embedding: "an embedding model such as openai.embedding('text-embedding-3-small')",
}

/**
 * Throws unless each is a model of the AI SDK, of this kind and version.
 * @param where the list that they are in
 */
export function checkModels(where: string, models: readonly unknown[], kind: Kind): void {
  for (const [at, model] of models.entries()) {
    const one = `${where}[${at}]`
    if (!isObject(model) || !METHODS[kind].every(method => method in model))
      throw new WrongArgument(`${one} must be ${WANTED[kind]}, not ${inWords(model)}`)
    const { specificationVersion: version = 'v4' } = model as { specificationVersion?: unknown }
    // The SDK writes prompts differently for other versions.
    if (version !== 'v4')
      throw new WrongArgument(
        `${one} is a model of specification ${version}, but AI SDK 7 has v4: install a newer package of its provider, or give wrapLanguageModel({ model, middleware: [] })`,
      )
  }
}

function inWords(model: unknown): string {
  if (typeof model === 'string') return `"${model}"`
  if (typeof model === 'function') return 'a function: give a provider the name of a model'
  if (!isObject(model)) return String(model)
  return 'modelId' in model
    ? `the model ${model.modelId} of another kind`
    : `an object of class ${constructorName(model) ?? 'Object'}`
}
