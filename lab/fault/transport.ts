import { HTML_TYPE, JSON_TYPE, type Reply, SSE_TYPE } from '../reply.ts'
import type { TransportFault } from './fault.ts'

/** What goes wrong between the vendor and the caller. */
export const TRANSPORT = {
  reset: {
    does: 'spoil',
    summary: 'the connection is reset before an answer',
    expected: { class: 'transient', kind: 'network' },
    spoil: reply => ({ ...reply, delivery: { kind: 'reset' } }),
  },
  hang: {
    does: 'spoil',
    summary: 'nothing comes, not even headers, until the caller gives up',
    expected: { class: 'timeout', kind: 'timeout' },
    spoil: reply => ({ ...reply, delivery: { kind: 'hang' } }),
  },
  stall: {
    does: 'spoil',
    summary: 'the answer begins, then nothing more comes',
    expected: { class: 'timeout', kind: 'timeout' },
    spoil: reply => begun(reply, parts => ({ kind: 'stall', parts })),
  },
  slow_stream: {
    does: 'spoil',
    summary: 'the answer comes whole, with a wait before every piece',
    expected: null,
    spoil: reply => ({ ...reply, delivery: { kind: 'slow' } }),
  },
  cut_stream: {
    does: 'spoil',
    summary: 'the connection drops in the middle of the answer',
    expected: { class: 'transient', kind: 'stream_cut' },
    spoil: reply => begun(reply, parts => ({ kind: 'cut', parts })),
  },
  unfinished_stream: {
    does: 'spoil',
    summary: 'the stream ends in good order, but without its last events',
    expected: { class: 'transient', kind: 'stream_cut' },
    spoil: reply => (reply.parts.length > 1 ? { ...reply, parts: firstHalf(reply.parts) } : torn(reply)),
  },
  malformed_json: {
    does: 'spoil',
    summary: 'the answer is not JSON where JSON should be',
    expected: { class: 'transient', kind: 'bad_json' },
    spoil: reply =>
      reply.headers['content-type'] === SSE_TYPE
        ? { ...reply, parts: [...firstHalf(reply.parts), 'data: {"type":"text","text":"the an\n\n'] }
        : torn({ ...reply, parts: [reply.parts.join('')] }),
  },
  empty_body: {
    does: 'spoil',
    summary: '200, and no body',
    expected: { class: 'transient', kind: 'bad_json' },
    spoil: reply => ({ ...reply, headers: { 'content-type': JSON_TYPE }, parts: [] }),
  },
  wrong_content_type: {
    does: 'spoil',
    summary: '200 with plain text in place of an answer',
    expected: { class: 'transient', kind: 'bad_json' },
    spoil: reply => ({ ...reply, headers: { 'content-type': 'text/plain' }, parts: ['OK\n'] }),
  },
  html_page: {
    does: 'spoil',
    summary: "200 with an HTML page in place of an answer, such as a network's login page",
    expected: { class: 'transient', kind: 'bad_json' },
    spoil: reply => ({
      ...reply,
      headers: { 'content-type': HTML_TYPE },
      parts: [
        '<!DOCTYPE html>\n<html><head><title>Sign in to the network</title></head>\n<body><form action="/login"><h1>Welcome</h1><input name="room"></form></body></html>\n',
      ],
    }),
  },
} satisfies Record<string, TransportFault>

/** Sends part of the answer: half the events of a stream, half the text of a single body. */
function begun(reply: Reply, delivery: (parts: number) => NonNullable<Reply['delivery']>): Reply {
  const parts = reply.parts.length > 1 ? reply.parts : halves(reply.parts[0] ?? '')
  return { ...reply, parts, delivery: delivery(Math.ceil(parts.length / 2)) }
}

function firstHalf(parts: readonly string[]): string[] {
  return parts.slice(0, Math.ceil(parts.length / 2))
}

function torn(reply: Reply): Reply {
  return { ...reply, parts: [halves(reply.parts[0] ?? '')[0] as string] }
}

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}
