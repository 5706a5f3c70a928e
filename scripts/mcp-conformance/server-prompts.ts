import { type Asked, type Json, RpcFault } from './server.ts'
import { PNG } from './server-resources.ts'

const argument = (name: string) => ({ name, description: `The ${name}`, required: true })

export const PROMPTS = [
  { name: 'test_simple_prompt', description: 'A plain prompt' },
  {
    name: 'test_prompt_with_arguments',
    description: 'A prompt of two arguments',
    arguments: [argument('arg1'), argument('arg2')],
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt with a resource',
    arguments: [argument('resourceUri')],
  },
  { name: 'test_prompt_with_image', description: 'A prompt with an image' },
  { name: 'test_input_required_result_prompt', description: 'A prompt that asks first' },
]

const user = (content: Json) => ({ role: 'user', content })
const text = (said: string) => user({ type: 'text', text: said })

/** The messages of a prompt. */
export function promptOf({ params }: Asked): Json {
  const { arg1, arg2, resourceUri } = (params.arguments ?? {}) as Json
  switch (params.name) {
    case 'test_simple_prompt':
      return { messages: [text('This is a simple prompt for testing.')] }
    case 'test_prompt_with_arguments':
      return { messages: [text(`Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`)] }
    case 'test_prompt_with_embedded_resource': {
      const resource = {
        uri: resourceUri,
        mimeType: 'text/plain',
        text: 'Embedded resource content for testing.',
      }
      return {
        messages: [user({ type: 'resource', resource }), text('Please process the embedded resource above.')],
      }
    }
    case 'test_prompt_with_image':
      return {
        messages: [
          user({ type: 'image', data: PNG, mimeType: 'image/png' }),
          text('Please analyze the image above.'),
        ],
      }
    case 'test_input_required_result_prompt': {
      const given = (params.inputResponses as Json | undefined)?.user_context as
        | { content?: Json }
        | undefined
      if (given?.content) return { messages: [text(`In the context of ${String(given.content.context)}`)] }
      const requestedSchema = {
        type: 'object',
        properties: { context: { type: 'string' } },
        required: ['context'],
      }
      const question = { message: 'What context should the prompt use?', requestedSchema }
      return {
        resultType: 'input_required',
        inputRequests: { user_context: { method: 'elicitation/create', params: question } },
      }
    }
    default:
      throw new RpcFault(-32602, `Unknown prompt: ${String(params.name)}`)
  }
}
