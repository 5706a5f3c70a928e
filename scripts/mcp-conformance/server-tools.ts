import { createHmac } from 'node:crypto'
import { type Asked, type Json, RpcFault, work } from './server.ts'
import { PNG, WAV } from './server-resources.ts'

const text = (said: string): Json => ({ content: [{ type: 'text', text: said }] })
const form = (message: string, properties: Json, required = Object.keys(properties)): Json => ({
  message,
  requestedSchema: { type: 'object', properties, required },
})
const elicit = (params: Json): Json => ({ method: 'elicitation/create', params })
const sample = (said: string, maxTokens: number): Json => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: said } }], maxTokens },
})
const ROOTS: Json = { method: 'roots/list', params: {} }
const asks = (inputRequests: Json, requestState?: string): Json => ({
  resultType: 'input_required',
  inputRequests,
  ...(requestState === undefined ? {} : { requestState }),
})
const NAME = { name: { type: 'string' } }

/** A state that nobody else can make. */
const sealed = (state: string) =>
  `${state}.${createHmac('sha256', 'conformance').update(state).digest('hex')}`

/** What the client answered to a question; undefined if it is no answer to it. */
function contentOf({ params }: Asked, key: string): Json | undefined {
  const given = (params.inputResponses as Json | undefined)?.[key] as Json | undefined
  return typeof given?.content === 'object' && given.content !== null ? (given.content as Json) : undefined
}

type Tool = (asked: Asked) => Json | Promise<Json>

const handlers: Record<string, Tool> = {
  test_simple_text: () => text('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }),
  test_multiple_content_types: () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: PNG, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ],
  }),
  test_error_handling: () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  }),
  test_tool_with_logging: async asked => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      log(asked, data)
      await work()
    }
    return text('logged')
  },
  test_logging_tool: asked => {
    log(asked, 'a line')
    return text('logged')
  },
  test_tool_with_progress: async ({ meta, tell }) => {
    const { progressToken } = meta
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) tell('notifications/progress', { progressToken, progress, total: 100 })
      await work()
    }
    return text('done')
  },
  test_sampling: async ({ params, ask }) => {
    const { prompt } = params.arguments as Json
    const { content } = await ask('sampling/createMessage', sample(String(prompt), 100).params as Json)
    return text(`LLM response: ${String((content as Json).text)}`)
  },
  test_elicitation: async ({ params, ask }) => {
    const { message } = params.arguments as Json
    const properties = {
      username: { type: 'string', description: "User's response" },
      email: { type: 'string', description: "User's email address" },
    }
    const { action, content } = await ask('elicitation/create', form(String(message), properties))
    return text(`User response: action: ${String(action)}, content: ${JSON.stringify(content)}`)
  },
  test_elicitation_sep1034_defaults: async ({ ask }) => {
    const properties = {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }
    return completed(await ask('elicitation/create', form('Please check the defaults', properties, [])))
  },
  test_elicitation_sep1330_enums: async ({ ask }) => {
    const titled = ['First', 'Second', 'Third'].map((title, n) => ({ const: `value${n + 1}`, title }))
    const options = ['option1', 'option2', 'option3']
    const properties = {
      untitledSingle: { type: 'string', enum: options },
      titledSingle: { type: 'string', oneOf: titled },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
      titledMulti: { type: 'array', items: { anyOf: titled } },
    }
    return completed(await ask('elicitation/create', form('Please choose', properties, [])))
  },
  json_schema_2020_12_tool: ({ params }) => text(JSON.stringify(params.arguments ?? {})),
  test_x_mcp_header: ({ params }) => text(JSON.stringify(params.arguments ?? {})),
  test_missing_capability: ({ capabilities }) => {
    if (capabilities.sampling) return text('sampling is there')
    const requiredCapabilities = { sampling: {} }
    throw new RpcFault(-32021, 'Missing required client capability', { requiredCapabilities })
  },
  test_streaming_elicitation: asked =>
    contentOf(asked, 'user_name') ? text('done') : asks({ user_name: elicit(form('Your name?', NAME)) }),
  test_trigger_tool_change: ({ changed }) => {
    changed('tools')
    return text('changed')
  },
  test_trigger_prompt_change: ({ changed }) => {
    changed('prompts')
    return text('changed')
  },
  test_input_required_result_elicitation: asked => {
    const name = contentOf(asked, 'user_name')?.name
    if (typeof name === 'string') return text(`Hello, ${name}!`)
    return asks({ user_name: elicit(form('What is your name?', NAME)) })
  },
  test_input_required_result_sampling: asked => {
    const content = contentOf(asked, 'capital_question')
    if (content) return text(String(content.text))
    return asks({ capital_question: sample('What is the capital of France?', 100) })
  },
  test_input_required_result_list_roots: ({ params }) => {
    const given = (params.inputResponses as Json | undefined)?.client_roots as Json | undefined
    return given ? text(JSON.stringify(given.roots)) : asks({ client_roots: ROOTS })
  },
  test_input_required_result_request_state: asked => {
    if (contentOf(asked, 'confirm') && asked.params.requestState === sealed('confirm'))
      return text('state-ok')
    const question = form('Please confirm', { ok: { type: 'boolean' } })
    return asks({ confirm: elicit(question) }, sealed('confirm'))
  },
  test_input_required_result_multiple_inputs: asked => {
    const given = (asked.params.inputResponses ?? {}) as Json
    if (['user_name', 'greeting', 'client_roots'].every(key => given[key] !== undefined))
      return text(`All is there: ${JSON.stringify(given)}`)
    return asks(
      {
        user_name: elicit(form('What is your name?', NAME)),
        greeting: sample('Generate a greeting', 50),
        client_roots: ROOTS,
      },
      sealed('multiple'),
    )
  },
  test_input_required_result_multi_round: asked => {
    const { requestState } = asked.params
    if (contentOf(asked, 'step2') && requestState === sealed('round 2')) return text('Both rounds are done')
    if (contentOf(asked, 'step1') && requestState === sealed('round 1'))
      return asks(
        { step2: elicit(form('Step 2: What is your favorite color?', { color: { type: 'string' } })) },
        sealed('round 2'),
      )
    return asks({ step1: elicit(form('Step 1: What is your name?', NAME)) }, sealed('round 1'))
  },
  test_input_required_result_tampered_state: asked => {
    const { requestState } = asked.params
    if (requestState !== undefined && requestState !== sealed('tampered'))
      throw new RpcFault(-32602, 'requestState is not what this server gave')
    if (contentOf(asked, 'confirm')) return text('state-ok')
    const question = form('Please confirm', { ok: { type: 'boolean' } })
    return asks({ confirm: elicit(question) }, sealed('tampered'))
  },
  test_input_required_result_capabilities: ({ capabilities }) =>
    asks({
      ...(capabilities.sampling ? { greeting: sample('Generate a greeting', 50) } : {}),
      ...(capabilities.elicitation ? { user_name: elicit(form('What is your name?', NAME)) } : {}),
    }),
}

function log({ isStateless, meta, tell }: Asked, data: string): void {
  if (isStateless && meta['io.modelcontextprotocol/logLevel'] === undefined) return
  tell('notifications/message', { level: 'info', logger: 'conformance', data })
}

function completed({ action, content }: Json): Json {
  return text(`Elicitation completed: action=${String(action)}, content=${JSON.stringify(content)}`)
}

const SCHEMAS: Record<string, Json> = {
  test_sampling: { properties: { prompt: { type: 'string' } }, required: ['prompt'] },
  test_elicitation: { properties: { message: { type: 'string' } }, required: ['message'] },
  test_x_mcp_header: { properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
}

export const TOOLS = Object.keys(handlers).map(name => ({
  name,
  description: `The tool ${name} of the conformance suite`,
  inputSchema: { type: 'object', properties: {}, ...SCHEMAS[name] },
}))

/** Calls a tool. */
export async function callTool(asked: Asked): Promise<Json> {
  const name = String(asked.params.name)
  const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined
  if (!handler) throw new RpcFault(-32602, `Unknown tool: ${name}`)
  return handler(asked)
}
