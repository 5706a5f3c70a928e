import type { Effect } from '../failure.ts'
import { type Fields, isObject } from './read.ts'

/** What an error's fields prove about how far the request got; undefined if nothing. */
export function phaseOf(fields: Fields, read: (value: object) => Fields): Effect | undefined {
  const socket = fields.get('socket')
  const written = isObject(socket) ? read(socket).get('bytesWritten') : undefined
  if (typeof written === 'number') return written === 0 ? 'none' : 'maybe'
  const syscall = fields.get('syscall')
  if (syscall === 'read' || syscall === 'write') return 'maybe'
  return isConnecting(syscall, fields) || gotTimedOutConnecting(fields) ? 'none' : undefined
}

function isConnecting(syscall: unknown, fields: Fields): boolean {
  if (typeof syscall !== 'string') return false
  // A synchronous child that hit its timeout or its buffer limit had started.
  const begun = fields.get('code') === 'ETIMEDOUT' || fields.get('code') === 'ENOBUFS'
  if (syscall.startsWith('spawn')) return !begun
  return syscall === 'connect' || syscall === 'getaddrinfo' || syscall.startsWith('query')
}

/** got names the phase it timed out in, in `event`. */
function gotTimedOutConnecting(fields: Fields): boolean {
  const event = fields.get('event')
  return (
    fields.get('name') === 'TimeoutError' &&
    (event === 'lookup' || event === 'connect' || event === 'secureConnect')
  )
}
