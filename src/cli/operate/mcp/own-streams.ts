import { type Readable, Writable } from 'node:stream'

/** stdin and stdout, reserved for one protocol. */
export interface OwnStreams {
  input: Readable
  output: Writable
}

/**
 * Reserves stdout for a protocol. Output of user code in this process (`console.log` of a module) goes to stderr instead,
 * where it cannot garble a message.
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
