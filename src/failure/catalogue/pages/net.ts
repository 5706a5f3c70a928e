import { page } from '../page.ts'

/** Connections that were not made, or broke. */
export default page(
  'net',
  `
dns: dns typed none · the name could not be resolved: offline, a failing resolver, or a typo
  says (server name|name or address|hostname|host name|domain name) … (could not|cannot|can not) be resolved, getaddrinfo, enotfound,
    eai again, (could not|couldnt|cannot) resolve (host|hostname|proxy|address), (failed|failure|temporary failure) in name resolution,
    name (or service not known|not resolved), no such host, dns (error|lookup failed|resolution|failure), failed to lookup address,
    nodename nor servname, (unknown host|unresolved address) exception, (lookup|resolve|resolving) … (failed|failure),
    no address (found|associated), check your internet or dns
  eg getaddrinfo failed for api.example.com
refused: network typed none · no listener there, or no route; nothing was sent
  says connection (to|with|from) … refused, econnrefused, connection refused, ehostunreach, enetunreach,
    (no route to host|host unreachable|network is unreachable|network unreachable), no internet route,
    (cannot|cant|could not|couldnt|failed to|unable to) (connect|reach|establish a connection|establish connection) (to|through) … (daemon|server|host|api|port|servers|socket|proxy|endpoint|service|services|database),
    unable to connect, max retries exceeded with url, (actively refused|no brokers available), is the computer able to access, exhausted all routes
  eg connect ECONNREFUSED 127.0.0.1:11434
reset: network general · the connection broke while in use; the request may have arrived
  says transport (is|was|has been|) (closed|disconnected|destroyed), (connection|link) (to|with) … (lost|broken|interrupted|dropped),
    connection (was|is|has been|got|) (unexpectedly|abruptly|forcibly|suddenly|prematurely) (closed|terminated|reset|dropped|lost|ended),
    (unexpectedly|abruptly|suddenly|prematurely) (disconnected|closed|terminated|dropped|hung up|closing connection),
    (could not|couldnt|cannot|cant|unable to|failed to|not able to) (reach|contact|connect to|access) (the|a|your|any|) … (server|service|host|api|backend|endpoint|provider|network|internet|gateway|com|net|org|io|ai|dev|database|broker),
    (host|peer|server|client|remote|remote host|remote end|other side|upstream|backend) (has|) (closed|dropped|reset|terminated|aborted|ended) (the|its|our|) connection,
    (failed|unable) to establish (a|the|) … (connection|session|tunnel), could not establish … connection,
    no (internet|network) (connection|access|connectivity), (check|verify) your (internet|network) connection,
    (verbindung|netzwerk) … (abgebrochen|fehlgeschlagen|unterbrochen|verloren|fehler|geschlossen|getrennt), econnreset, epipe,
    connection (was|has been|) (reset|aborted|lost|dropped|broken|interrupted|forcibly closed|terminated unexpectedly|terminated|closed unexpectedly|error|failed|failure|problem),
    software caused connection abort, connection (is|was|) closed, (closed|server closed idle|lost) connection, (broken|closed) pipe,
    network (error|failure|request failed|connection lost|connection error|timeout|problem|issue|is down), error sending request,
    socket (connection was closed|closed|disconnected|error|exception), not connected, (failed to|could not|couldnt) connect, connection (monitor|) to … closed,
    (cannot|cant) reach, disconnected, (internet connection appears to be|are you) offline, (transport|upstream connect) error,
    remote end hung up, recv failure, server (has|) gone away, connection loss,
    (conexión|conexion|conexão|connexion|соединение) … (interrumpido|perdida|rechazada|cerrada|fallida|interrumpida|recusada|fechada|interrompue|perdue|refusée|fermée|échouée|разорвано|потеряно|прервано|закрыто|сброшено),
    (erreur|fehler|error|ошибка) (réseau|netzwerk|de red|de rede|de conexión|сети|соединения),
    (网络|连接失败|连接中断|连接被|連接|接続できません|接続エラー|ネットワーク|연결할 수 없|네트워크); unless not allowed, credentials, client was closed, not connected to (this|your|the|any) … (project|account|organization|workspace|team|user)
  eg Error: Connection reset by server
unfetched: network status · a wrapper's words for "no answer"; any cause named with it says more
  says (node|exception|error|typeerror|type error|api|) fetch failed, failed to fetch, load failed, request to … failed
  eg Search provider error: fetch failed
unreachable: network status · a required service cannot be reached, or is not running
  says (node|nodes|server|servers|cluster|host|hosts|replica|broker|shard|service|database|api|system) (is|are|might be|may be|appears to be|seems to be|appears|seems|) (currently|temporarily|) (down|offline),
    (unreachable|unresponsive|inaccessible), not (reachable|responding|answering), (could not|cannot|can not) be (reached|contacted),
    ({machine}) … (out of service|unhealthy), (none of|no|not one of) (the|) … ({machine}) (is|are|were|was|) (available|reachable|alive|healthy|up),
    (unavailable|unreachable|not available) (exception|error),
    (bridge|service|server|daemon|backend|gateway|api|endpoint|broker|proxy|database|host|agent|worker) (is|was|are|) (currently|) not (available|running|reachable|responding|listening)
  unless unreachable … (object|objects|commit|commits), entered unreachable, not available (in|for|on|with|to|without)
  eg bridge unreachable
eof: eof general · the other side hung up before an answer
  says (#|server|host|peer|endpoint|origin|target) failed to respond, socket hang up, other side closed, eof,
    empty reply from server, premature (end|eof) (of|), without sending a response, received no bytes, unexpected end of (file|input stream),
    failed to fill whole buffer; unless eof error
  eg Error: socket hang up
stream_cut: stream_cut general · an answer had begun and was cut off; part of the work is done
  says stream (was|has been|) (disconnected|closed|ended|interrupted|cut|aborted|terminated|reset|stopped) (before|without|unexpectedly|prematurely|due|by|early), (provider|stream) disconnected, stream (error|closed unexpectedly), premature close, closed prematurely, mid (response|stream),
    (response|answer) (ended|stopped|stalled|was cut) (prematurely|arriving|before|mid|off),
    (ended|stopped|closed|cut) (the|its) (response|answer|stream|reply) (before|early|without|prematurely),
    incomplete (read|json segment|chunked read|message), chunked encoding error,
    (closed|dropped|lost|ended|broke|reset) … (before|while) (the|a|) (response|answer|reply|stream|download|transfer|body) (was|is|had|has|) (complete|completed|finished|done|ended|sent|received),
    (response|answer|stream|download|transfer) (broke|breaks) off, hung up mid … (response|stream|answer),
    error (decoding|reading) (response|a|the) body, (error while reading the server|the model returned an empty) response,
    failed to parse stream, content length mismatch, response payload is not completed, transfer closed with,
    ended without (producing|sending|receiving), before (response completed|completion),
    no response was (returned|generated|produced)
  eg stream disconnected before completion: stream closed before response.completed
runner_gone: runner_lost specific · the machine or process that did the work is gone; the work may have been done
  says lost communication,
    (runner|worker|executor|container|pod|instance|node|object) (was|has been|has|) (lost|evicted|preempted|reset|recycled|restarted|terminated|shut down),
    received a shutdown signal, (host|instance|node|vm|machine|server) … (terminated|preempted|evicted), without heartbeat,
    zombie (job|task|process), spot instance … (interrupted|terminated), worker (died|exited|crashed|lost),
    (host|machine|worker|runner|node|executor|instance|container) (machine|process|) (went away|disappeared|is gone|vanished|stopped responding|died),
    sandbox (was|has been|is|) (not found|gone|killed|terminated|expired|shut down)
  eg The self-hosted runner lost communication with the server.
terminated: stream_cut status · undici and node:http use this one word for a body that was cut off; it was not cancelled; a stream of events may also lack its end mark
  code message=terminated|aborted stream=cut
  or says (type error|typeerror|execution failed|threw error) terminated
  eg thrown {"name":"TypeError","message":"terminated"}
tls: tls specific · a certificate or the TLS handshake is refused; it fails again until the certificate, the proxy or the clock is fixed
  says (self signed|invalid peer) certificate,
    certificate (has expired|verify failed|verification failed|is not trusted|not trusted|is not yet valid|required|error|unknown|signed by unknown authority|validation failed|is invalid),
    unable to (get local issuer certificate|get issuer cert|get issuer certificate|verify the first certificate|verify leaf signature), ssl … certificate, wrong version number,
    packet length too long, certificate … (verification|verify|validation) (error|failed|failure), pkix path (building|validation) failed,
    x509, err tls cert, hostname … (does not match|doesnt match) (certificate|the certificate),
    does not look like a tls handshake, http response to https client, unrecognized ssl message, corrupt message of type,
    (received fatal|generated client) alert, no (subject alternative|alternative certificate)
  unless (before secure tls connection|ssl error syscall|violation of protocol|unexpected eof|connection reset|connection was reset|connection timed out|econnreset|broken pipe)
  eg Unable to connect to API: Self-signed certificate detected. Check your proxy or corporate SSL certificates
tls_error: tls status · an error of TLS, without saying which; a connection that was closed is the more specific cause
  says (ssl|tls) error
  eg TLS error: no cipher in common
`,
)
