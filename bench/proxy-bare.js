import { Agent, createServer, request } from 'node:http'

// The least that a reverse proxy can do in Node: it pipes.

const upstream = process.argv[2]
const agent = new Agent({ keepAlive: true })
const server = createServer((from, to) => {
  const { host, connection, ...headers } = from.headers
  const asked = request(upstream + from.url, { method: from.method, headers, agent }, answer => {
    to.writeHead(answer.statusCode, answer.headers)
    answer.pipe(to)
  })
  asked.on('error', () => to.destroy())
  from.pipe(asked)
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`))
