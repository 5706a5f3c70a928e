import { page } from '../page.ts'

/** Codes of Node and of the operating system. */
export default page(
  'node',
  `
refused: network typed none · no listener, no route, or no local port left; nothing was sent
  code EHOSTDOWN ENETDOWN ENONET EADDRNOTAVAIL FailedToOpenSocket
  eg {"message":"it failed","code":"EHOSTDOWN"}
refused_among_addresses: network specific none · one of several addresses was refused; the others only hit the short timer between tries
  code ECONNREFUSED EHOSTUNREACH ENETUNREACH; also AggregateError
  eg thrown {"errors":[{"message":"connect ETIMEDOUT 203.0.113.7:443","code":"ETIMEDOUT","syscall":"connect"},{"message":"connect ENETUNREACH 2001:db8::1:443","code":"ENETUNREACH","syscall":"connect"}],"name":"AggregateError","message":"","code":"ETIMEDOUT"}
reset: network typed · the connection broke while in use
  code ECONNRESET ENOTCONN ESHUTDOWN ENOBUFS EINTR ERR_NETWORK
  eg {"message":"it failed","code":"ENOTCONN"}
cut_in_handshake: network specific none · the connection broke before the TLS handshake, so no request was sent
  says before secure tls connection was established
  eg thrown {"message":"Client network socket disconnected before secure TLS connection was established","code":"ECONNRESET"}
aborted_connection: network general · an abandoned connection; axios uses the same code for its timeout, and its text says so
  code ECONNABORTED
  eg thrown {"message":"request aborted","code":"ECONNABORTED"}
cannot_listen: config specific · another program listens on that port, or the address is not this machine's
  code EADDRINUSE
  or says listen (eaddrinuse|eaddrnotavail), address already in use
  eg thrown {"message":"listen EADDRINUSE: address already in use :::3000","code":"EADDRINUSE","syscall":"listen"}
no_program: binary_not_found specific · there is no such program to start, or no such folder to start it in
  code ENOENT; also syscall=spawn|spawnsync
  eg thrown {"message":"could not start","code":"ENOENT","syscall":"spawn claude"}
daemon_socket: network specific none · a daemon's socket file is missing: the daemon is not running
  code ENOENT; also syscall=connect
  or says connect enoent
  eg thrown {"message":"connect ENOENT /var/run/docker.sock","code":"ENOENT","syscall":"connect"}
timeout: timeout typed · a socket or a library waited too long
  code ERR_SOCKET_CONNECTION_TIMEOUT timeout
  eg {"message":"it failed","code":"ERR_SOCKET_CONNECTION_TIMEOUT"}
connect_timeout: connect_timeout typed none · the connection was never made
  code ETIMEDOUT; also syscall=connect
  or code ETIMEOUT ERR_TLS_HANDSHAKE_TIMEOUT UND_ERR_CONNECT_TIMEOUT CONNECT_TIMEOUT ConnectTimeoutError
  eg {"message":"it failed","code":"ETIMEDOUT","syscall":"connect"}
runner_gone: runner_lost typed · the child process is gone
  code ERR_IPC_CHANNEL_CLOSED
  eg thrown {"message":"Channel closed","code":"ERR_IPC_CHANNEL_CLOSED"}
bad_compression: bad_json typed · a compressed answer that does not decompress: cut or changed on the way
  code Z_DATA_ERROR Z_BUF_ERROR
  or says (zlib|decompression) error
  eg thrown {"message":"unexpected end of file","code":"Z_BUF_ERROR","errno":-5}
max_buffer: max_size specific · the output exceeded the caller's buffer
  code ERR_CHILD_PROCESS_STDIO_MAXBUFFER ERR_FR_MAX_BODY_LENGTH_EXCEEDED is_max_buffer=true
  or code ENOBUFS; also syscall=spawnsync
  eg {"message":"it failed","code":"ERR_CHILD_PROCESS_STDIO_MAXBUFFER"}
abort: aborted general · an AbortSignal fired; if its reason was a timeout, the cause says so and wins
  code AbortError ABORT_ERR ERR_CANCELED APIUserAbortError code=20
  or says canceled error, error (canceled|cancelled)
  eg {"message":"it failed","code":"AbortError"}
abort_by_timer: timeout typed · a timer of the client itself aborted the call, not a person
  code AbortError ABORT_ERR; also frame=timer
  or says abort error; also frame=timer
  eg "AbortError: The operation was aborted\\n    at AbortController.abort (node:internal/abort_controller:403:5)\\n    at Timeout._onTimeout (file:///srv/cli.js:3441:8219)"
`,
)
