/** The complete messages of an event stream, as they arrive. */
export async function* eventMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    const messages = text.split('\n\n')
    text = messages.pop() as string
    yield* messages
  }
}
