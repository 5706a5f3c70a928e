import { type Readable, Writable } from 'node:stream'

/** stdin and stdout for one protocol alone. */
export interface OwnStreams {
  input: Readable
  output: Writable
}

/**
 * Takes stdout for a protocol: what user code prints in this process (`console.log` of a module) goes to stderr instead, so
 * that it cannot garble a message.
 */
export function ownStreams(): OwnStreams {
  const { stdin, stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write
  const output = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => void write(chunk, error => done(error ?? null)),
  })
  stdout.on('error', error => output.destroy(error))
  return { input: stdin, output }
}
