import { call } from '../../call/call.ts'
import type { CallFunction } from '../../call/context.ts'
import { isObject } from '../../failure/observe/read.ts'
import { WrongArgument } from '../../failure/own-error.ts'
import { checkModelOptions, type ModelCallOptions } from '../model-options.ts'
import { asOwnAbort, passingOwnAbort } from '../own-abort.ts'

/** What a chat model of LangChain, or what is made of one, has. */
export interface ChatModel {
  invoke(input: never, config?: never): Promise<unknown>
  stream(input: never, config?: never): Promise<AsyncIterable<unknown>>
}

interface Config {
  signal?: AbortSignal
}

/** A model, and the name of its provider. */
interface Member {
  name: string
  model: ChatModel
}

/** Methods that make another model, or a chain, of a model. Each model makes its own, because each vendor has its own way. */
const MAKERS = ['bindTools', 'withStructuredOutput', 'withConfig', 'bind'] as const

/**
 * A chat model for LangChain that retries, and asks the next model, as the policy says; a stream until its first content. It is a model
 * like the first one: bind tools to it, give it to an agent or a chain. The models' own retries are off.
 *
 *   resilientModel([new ChatAnthropic({ model: 'claude-sonnet-4-5' }), new ChatOpenAI({ model: 'gpt-5' })], { budgetMs: 60_000 })
 */
export function resilientModel<M extends ChatModel>(
  models: readonly [M, ...ChatModel[]],
  options: ModelCallOptions = {},
): M {
  if (!Array.isArray(models) || models.length === 0)
    throw new WrongArgument('resilientModel: models must be a list of at least one chat model')
  for (const [at, model] of models.entries())
    if (!isObject(model) || typeof (model as Partial<ChatModel>).invoke !== 'function')
      throw new WrongArgument(`resilientModel: models[${at}] must be a chat model, such as new ChatOpenAI()`)
  checkModelOptions('resilientModel', options)
  const names = namesOf(models)
  return madeOf(
    models.map((model, at) => ({ name: names[at] as string, model: withoutRetries(model) })),
    options,
  ) as M
}

/** An object like the first model, whose questions go to all of them in turn. */
function madeOf(members: readonly Member[], options: ModelCallOptions): ChatModel {
  const [{ model: first }] = members as [Member]
  const ask = <T>(work: (model: ChatModel, config: Config) => Promise<T>, config: Config = {}) =>
    asked(members, options, config, work)
  const made: Record<string, unknown> = {
    invoke: (input: never, config?: Config) =>
      ask((model, given) => model.invoke(input, given as never), config),
    // What chains and `stream` read from.
    async *_streamIterator(input: never, config?: Config) {
      yield* await ask((model, given) => model.stream(input, given as never), config)
    },
  }
  for (const maker of MAKERS)
    if (typeof (first as never)[maker] === 'function')
      made[maker] = (...given: unknown[]) =>
        madeOf(
          members.map(({ name, model }) => ({
            name,
            model: (model as unknown as Record<string, (...given: unknown[]) => ChatModel>)[maker]?.(
              ...given,
            ) as ChatModel,
          })),
          options,
        )
  return Object.assign(Object.create(first), made) as ChatModel
}

async function asked<T>(
  members: readonly Member[],
  options: ModelCallOptions,
  config: Config,
  work: (model: ChatModel, config: Config) => Promise<T>,
): Promise<T> {
  const { signal } = config
  const models = new Map(members.map(({ name, model }) => [name, model]))
  const tried: CallFunction<T> = ({ provider, signal: ofTry }) =>
    work(models.get(provider as string) as ChatModel, { ...config, signal: ofTry })
  try {
    const { value } = await call(tried, {
      ...options,
      pool: [...models.keys()],
      signal,
      firstChunkMs: options.firstChunkMs ?? Infinity,
      passThrough: passingOwnAbort(signal, options.passThrough),
    })
    return value
  } catch (error) {
    throw asOwnAbort(error, signal)
  }
}

/** `openai` of ChatOpenAI, with the model where a provider serves several. */
function namesOf(models: readonly ChatModel[]): string[] {
  const vendors = models.map(model => {
    const type = (model as { _llmType?: () => string })._llmType?.() ?? model.constructor.name
    return type.toLowerCase().replace(/^chat|[^a-z]|generativeai$/g, '') || 'model'
  })
  const names = vendors.map((vendor, at) => {
    const { model } = models[at] as { model?: unknown }
    const isShared = vendors.indexOf(vendor) !== vendors.lastIndexOf(vendor)
    return isShared && typeof model === 'string' ? `${vendor}/${model}` : vendor
  })
  return names.map((name, at) => (names.indexOf(name) === at ? name : `${name}#${at + 1}`))
}

/** Runs at once what LangChain would retry. */
const AT_ONCE = {
  call: (run: (...given: unknown[]) => unknown, ...given: unknown[]) => run(...given),
  callWithOptions: (_options: unknown, run: (...given: unknown[]) => unknown, ...given: unknown[]) =>
    run(...given),
}

/** The same model without retries of its own, also of the models that it is made of. */
function withoutRetries<M extends object>(model: M): M {
  const quiet = Object.create(model) as Record<string, unknown>
  for (const [name, value] of Object.entries(model)) {
    if (name === 'caller' && isObject(value)) quiet.caller = Object.assign(Object.create(value), AT_ONCE)
    else if (isObject(value) && isObject((value as { caller?: unknown }).caller) && 'invoke' in value)
      quiet[name] = withoutRetries(value)
  }
  return quiet as M
}
