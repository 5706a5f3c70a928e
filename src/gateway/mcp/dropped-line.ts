import type { RequestId } from './json-rpc.ts'

/** The beginning and the end of a line that was too long to keep. */
export interface DroppedLine {
  head: Buffer
  tail: Buffer
}

/** The id of a message that is not parsed: it is at the beginning or the end, where programs write it. */
export function idIn(head: string, tail = head): RequestId | undefined {
  const found =
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")/.exec(
      head.slice(0, 300),
    ) ??
    /"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail.slice(-300))
  return found?.[1] === undefined ? undefined : (JSON.parse(found[1]) as RequestId)
}

/** The id of the message that a dropped line was. */
export function idOfDropped({ head, tail }: DroppedLine): RequestId | undefined {
  return idIn(head.toString('latin1'), tail.toString('latin1'))
}

/** The id of the request that a dropped line answers; undefined if it is no answer. */
export function idOfDroppedAnswer(line: DroppedLine): RequestId | undefined {
  const isAnswer = /^\s*\{[^{[]*"(?:result|error)"\s*:/.test(line.head.toString('latin1'))
  return isAnswer ? idOfDropped(line) : undefined
}
