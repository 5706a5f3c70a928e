/** One event of a stream of server-sent events. */
export interface SseEvent {
  id?: string
  event?: string
  data: string
}

/** Longest event that is read, in characters. */
const LONGEST_EVENT = 134_217_728

/** Reads server-sent events from a body; data is given as it came. */
export async function* sseEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<SseEvent> {
  const decoder = new TextDecoder()
  let rest = ''
  let event: { id?: string; event?: string; data: string[] } = { data: [] }
  const take = (line: string): SseEvent | undefined => {
    if (line === '') {
      const { data, ...named } = event
      event = { data: [], ...(named.id === undefined ? {} : { id: named.id }) }
      return data.length > 0 || named.id !== undefined ? { ...named, data: data.join('\n') } : undefined
    }
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1))
    if (field === 'data') event.data.push(value)
    else if (field === 'id') event.id = value
    else if (field === 'event') event.event = value
    return undefined
  }
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true })
    if (rest.length > LONGEST_EVENT)
      throw new Error('an event of the stream is longer than any message may be')
    let start = 0
    for (;;) {
      const end = rest.indexOf('\n', start)
      if (end === -1) break
      const whole = take(rest.slice(start, rest[end - 1] === '\r' ? end - 1 : end))
      start = end + 1
      if (whole) yield whole
    }
    rest = rest.slice(start)
  }
}
