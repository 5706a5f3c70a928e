import { present } from '../../failure/present.ts'
/** Identifies a request among those of one side of a connection. */
export type RequestId = string | number

/** A request, which must be answered. */
export interface RpcRequest {
  id: RequestId
  method: string
  params?: Readonly<Record<string, unknown>>
}

/** A notification, which is not answered. */
export interface RpcNotification {
  method: string
  params?: Readonly<Record<string, unknown>>
}

/** The error of an answer. */
export interface RpcError {
  code: number
  message: string
  data?: unknown
}

/** An answer. Exactly one of `result` and `error`. */
export interface RpcResponse {
  id: RequestId
  result?: Readonly<Record<string, unknown>>
  error?: RpcError
}

/** One JSON-RPC message, read only as far as needed to pass it on. */
export type RpcMessage =
  | ({ type: 'request' } & RpcRequest)
  | ({ type: 'notification' } & RpcNotification)
  | ({ type: 'response' } & RpcResponse)

/** Why something is not a message, and its id if it has one. */
export interface NoMessage {
  type: 'invalid'
  problem: string
  id?: RequestId
  /** It is not JSON at all. */
  isGarbage: boolean
  /** It was meant as the answer to the request with its id. */
  isAnswer?: boolean
}

/** Reads a line. Anything not needed to pass a message on stays unchecked: it may be newer than Mulligan. */
export function readMessage(line: Buffer | string): RpcMessage | NoMessage {
  let value: unknown
  try {
    value = JSON.parse(typeof line === 'string' ? line : line.toString('utf8'))
  } catch (error) {
    return { type: 'invalid', problem: (error as Error).message, isGarbage: true }
  }
  return messageOf(value)
}

/** Reads a value as a message. */
export function messageOf(value: unknown): RpcMessage | NoMessage {
  if (!isObject(value)) return invalid('it is no object')
  const { id, method, params, result, error } = value
  if (id !== undefined && id !== null && !isId(id)) return invalid('its id is neither a text nor a number')
  const known = isId(id) ? { id } : {}
  if (params !== undefined && !isObject(params)) return invalid('its params are no object', known.id)
  const given = params === undefined ? {} : { params }
  if (typeof method === 'string')
    return isId(id) ? { type: 'request', id, method, ...given } : { type: 'notification', method, ...given }
  if (method !== undefined) return invalid('its method is no text', known.id)
  if (!isId(id)) return invalid('it has neither a method nor an id')
  if (isObject(error)) {
    const { code, message, data } = error
    return {
      type: 'response',
      id,
      error: {
        code: typeof code === 'number' ? code : -32603,
        message: typeof message === 'string' ? message : '',
        ...present({ data }),
      },
    }
  }
  if (isObject(result)) return { type: 'response', id, result }
  return { ...invalid('it has neither a method nor a result nor an error', id), isAnswer: true }
}

/**
 * The messages of a batch, which some revisions of 2025 allow, each with a line of its own.
 * @param read what {@link readMessage} made of the text
 * @returns undefined if it is no batch
 */
export function readBatch(
  { isGarbage }: NoMessage,
  text: Buffer | string,
): { line: Buffer; message: RpcMessage }[] | undefined {
  const batch = isGarbage ? undefined : (JSON.parse(text.toString()) as unknown)
  if (!Array.isArray(batch)) return undefined
  return batch.flatMap(value => {
    const message = messageOf(value)
    return message.type === 'invalid' ? [] : [{ line: Buffer.from(`${JSON.stringify(value)}\n`), message }]
  })
}

/** A message as a line. */
export function lineOf(message: object): Buffer {
  return Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

/** An answer whose result is JSON text already. */
export function resultLine(id: RequestId, result: string): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`)
}

/** Whether a value is an object and not a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number'
}

function invalid(problem: string, id?: RequestId): NoMessage {
  return { type: 'invalid', problem, isGarbage: false, ...present({ id }) }
}
