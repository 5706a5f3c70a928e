import { createServer } from 'node:http'

// A vendor without a cost of its own: answers every question with the same short stream, or the same text, at once.

const event = (type, data = {}) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
const HEAD =
  event('message_start', {
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-lab-1',
      content: [],
      stop_reason: null,
      usage: { input_tokens: 9, output_tokens: 1 },
    },
  }) + event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
const word = text => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })
const TAIL =
  event('content_block_stop', { index: 0 }) +
  event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 8 } }) +
  event('message_stop')

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(HEAD)
    for (let n = 0; n < 8; n++) response.write(word(`word ${n} `))
    response.end(TAIL)
  })
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`))
