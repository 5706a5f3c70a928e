import { page } from '../page.ts'

/** Programs that agents run, and the runtimes they are written in. */
export default page(
  'program',
  `
invalid_request: invalid_request typed · the request itself is wrong; the same again fails the same way
  says strict mode violation, too many (levels of|) symbolic links
  or code EISDIR ELOOP ENAMETOOLONG
  eg thrown {"message":"EISDIR: illegal operation on a directory, read","code":"EISDIR"}
lost: runner_lost typed · the browser, the page or the frame disappeared during the work
  code TargetCloseError
  or says browser (has been|was|is|) closed, page (has been closed|crashed), target (closed|crashed),
    execution context was destroyed, frame was detached, detached frame, browser has disconnected, session closed most likely
  eg thrown {"name":"TargetCloseError","message":"Protocol error (Page.navigate): Target closed"}
config: config typed · a setting is wrong or missing; somebody has to change it
  says (running as root without no|no usable) sandbox,
    err (tunnel connection failed|too many redirects|unsafe port|unknown url scheme|invalid redirect|proxy auth unsupported|mandatory proxy configuration failed),
    unable to auto detect email address, please tell me who you are, does not appear to be a git repository,
    no (configured push destination|upstream branch|solution found when resolving|scheme supplied|connection adapters were found),
    lockfile … (frozen|has no|is missing|missing|out of date|outdated|not up to date|does not match|do not match|is broken|needs to be updated|would have been modified|not compatible|corrupted),
    lockfile had changes, verifying module … checksum mismatch,
    lock file … (not in sync|out of sync|out of date|needs to be updated|not up to date|does not match|is not up to date|is corrupt),
    (frozen lockfile|frozen lock|locked) … (out of date|outdated|not up to date|fails|failed|cannot|needs to be updated),
    conflicting (dependencies|peer dependency|requirements), version solving failed, resolution impossible, code (eresolve|eusage),
    npm (error|err) missing script, externally managed environment, missing schema, unsupported protocol, builder error,
    error following redirect, relative url without a base, file watchers, inotify (watches|instances)
  or says unmet dependencies, held broken packages, does not have a release file
  eg npm error code EUSAGE
network: network typed none · the connection could not be made or broke
  says err (connection refused|address unreachable|internet disconnected|address invalid|proxy connection failed|connection failed),
    all connection attempts failed, client connector error
  or says no matching distribution found; also broken_by=newconnectionerror
  eg thrown {"message":"net::ERR_ADDRESS_UNREACHABLE at https://example.com/"}
cut: network typed · the browser's code for a broken connection or a network change
  says err (connection reset|connection closed|connection aborted|network changed|network io suspended|network access denied|socket not connected|quic protocol error|http2 protocol error|http2 ping failed|spdy protocol error)
  eg thrown {"message":"net::ERR_NETWORK_CHANGED at https://example.com/"}
eof: eof typed · the other side hung up
  says (err empty|remote end closed connection without) response, remote disconnected, server disconnected error
  eg ServerDisconnectedError
stream_cut: stream_cut typed · the answer broke off before its end
  says err (incomplete chunked encoding|content length mismatch|content decoding failed), fixed content length # bytes received
  or says (checksum|hash|digest) (mismatch|did not match|does not match|verification failed), code eintegrity,
    integrity checksum failed, hash sum mismatch, these packages do not match the hashes; unless verifying module
  eg thrown {"message":"net::ERR_INCOMPLETE_CHUNKED_ENCODING at https://example.com/"}
forbidden: forbidden typed · the account or key may not do that
  says err blocked by (client|response|administrator|csp|orb), code e403
  eg thrown {"message":"net::ERR_BLOCKED_BY_CLIENT at https://example.com/"}
lock: lock typed none · somebody else holds the lock for now
  says (index|shallow) lock file exists, another git process seems to be running, could not lock config file, cannot lock ref
  or code EBUSY ETXTBSY EAGAIN EWOULDBLOCK win32=32|33
  eg thrown {"message":"EBUSY: unlink failed","code":"EBUSY"}
conflict: conflict typed permanent · two changes collided
  says (non|not possible to) fast forward, divergent branches, automatic merge failed, unmerged files, is already used by worktree,
    updates were rejected because, code epublishconflict, cannot publish over, port is already allocated
  or code EEXIST ENOTEMPTY
  eg {"message":"it failed","code":"EEXIST"}
not_found: not_found typed · what was asked for does not exist
  says bad revision, invalid reference, not a (valid object name|commit), code (e404|etarget), no matching version found,
    manifest unknown, pull access denied
  or code ERR_PACKAGE_PATH_NOT_EXPORTED ERR_REQUIRE_ESM ERR_DLOPEN_FAILED ENOTDIR ENODEV win32=2|3
  eg {"message":"it failed","code":"ENOTDIR"}
auth: auth typed · the key, token or login is missing, wrong or expired
  says host key verification failed, remote host identification has changed, code (e401|eneedauth)
  eg {"exitCode":1,"signal":null,"stdout":"","stderr":"npm error code E401"}
tools_missing: git_unavailable typed · Apple's stand-in for git asks for the developer tools
  says invalid active developer path, no developer tools were found
  eg xcrun: error: invalid active developer path (/Library/Developer/CommandLineTools), missing xcrun
dns: dns typed none · the name could not be looked up right now
  says lookup … (server misbehaving|i o timeout|no such host), error resolving dns
  or says no matching distribution found; also broken_by=nameresolutionerror
  eg error resolving DNS for api.example.com
stream_cut_said: stream_cut general · the answer broke off before its end
  says http2 (stream|client connection force) closed, request or response body error
  eg http2: stream closed
network_hint: network status none · the connection could not be made or broke
  says java net connect exception
  or code os_errno=111|113|101|61|65|51|10061|10065|10051|104|103|54|53|10054|10053
  eg OSError: [Errno 111]
cancelled: aborted general · our own side cancelled the call
  says (cancellation|interrupted) exception
  eg thrown {"name":"kotlinx.coroutines.JobCancellationException","message":"StandaloneCoroutine was cancelled"}
code_bug: code_bug last · the program is wrong; it fails the same way again
  says illegal state exception, unhandled exception, (zero division|value|type|assertion|overflow|indentation) error,
    syntax error invalid syntax, (division|divide|divided) by zero, cannot index … with, cannot iterate over, unexpected newline
  or code ReferenceError RangeError EvalError URIError AttributeError NameError IndexError NullPointerException
    NullReferenceException InvalidOperationException ArgumentException DataCloneError
  eg thrown {"name":"ReferenceError","message":"foo"}
code_bug_named: code_bug typed · the program is wrong; it fails the same way again
  code EINVAL EBADF EFAULT ENOTSUP ENOSYS ESPIPE ENOTTY ENXIO EMSGSIZE EISCONN EALREADY ENOTSOCK EXDEV EAFNOSUPPORT EAI_BADFLAGS
    EAI_FAMILY EAI_SERVICE EAI_SOCKTYPE ERR_SOCKET_BAD_PORT ERR_INVALID_ARG_TYPE ERR_INVALID_STATE ERR_INVALID_THIS
    ERR_INVALID_CALLBACK ERR_OUT_OF_RANGE ERR_ASSERTION ERR_STREAM_DESTROYED ERR_STREAM_CANNOT_PIPE ERR_STREAM_NULL_VALUES
    ERR_HTTP_HEADERS_SENT ERR_IPC_DISCONNECTED ERR_UNHANDLED_REJECTION
  or says (invalid syntax|unexpected indent); code SyntaxError IndentationError
  eg {"message":"it failed","code":"ERR_STREAM_DESTROYED"}
syntax_error: bad_json last · text that does not parse, usually JSON from a model or a proxy
  code SyntaxError JSONParseError JSONDecodeError AI_JSONParseError
  eg thrown {"name":"SyntaxError","message":"Bad control character"}
unresolved: config status · packages could not be assembled; the error of the missing one says more
  says (could not|cannot|unable to|failed to) (resolve|find compatible|satisfy) … (dependencies|dependency|requirements|versions)
  eg {"exitCode":1,"signal":null,"stdout":"","stderr":"error: failed to resolve dependencies of app"}
rate_limit: rate_limit typed · too many requests for now; it works again soon
  says code e429, toomanyrequests, has been requested too many times
  or says retry later; status 403 429
  or code responses=429
  or code x-ratelimit-remaining=0; status 403 429
  eg This endpoint has been requested too many times. Try again later.
certificate: tls typed · the certificate of the index was refused, and pip's last line only says it found nothing
  says no matching distribution found; also broken_by=sslerror
  eg {"exitCode":1,"signal":null,"stdout":"","stderr":"WARNING: Retrying (Retry(total=0, connect=None)) after connection broken by 'SSLError('x')': /simple/x/\\nERROR: No matching distribution found for x"}
pool: overloaded typed none · our own pool had no free connection: says nothing about the service
  says (httpx|httpcore) pool timeout, connection pool is full
  eg "Traceback (most recent call last):\\n  File \\"/srv/a.py\\", line 3, in <module>\\n    main()\\nhttpx.PoolTimeout"
network_said: network general · the connection could not be made or broke
  says httpx (read|write|close|network) error, httpcore (read|write) error, bad status line, connection was not ready,
    operation was canceled connection, dispatch task is gone, channel closed
  or says not (available|running); code RuntimeError
  eg hyper::Error(Canceled, "connection was not ready")
bad_json: bad_json general · the answer cannot be read; a fresh one usually can
  says (decode json with unexpected mimetype|unmarshal response|decode response)
  or says expected value at line # column #, trailing characters at line #, (invalid type|missing field) … at line # column #
  unless into the target type
  eg expected value at line 1 column 1
no_program: binary_not_found typed · a bare name without a path is a program to start
  code program=missing
  eg "Traceback (most recent call last):\\n  File \\"/srv/a.py\\", line 3, in <module>\\n    main()\\nFileNotFoundError: [Errno 2] No such file or directory: 'claude'"
permission: permission typed · the system or a person does not permit it
  says permission error errno #
  or code PermissionError ERR_ACCESS_DENIED ENOEXEC win32=5
  eg {"message":"it failed","code":"ERR_ACCESS_DENIED"}
socket_forbidden: permission specific · the Windows error number for a socket that the machine itself forbids: a firewall, or a reserved port
  code os_errno=10013
  eg OSError: [WinError 10013]
timeout_by_number: timeout status · the error numbers on Linux, macOS and Windows for a connection that did not answer in time
  code os_errno=110|60|10060
  eg OSError: [Errno 110]
read_timeout: timeout specific · a socket with a timeout reports that it would block
  says resource temporarily unavailable os error
  eg Resource temporarily unavailable (os error 11)
forbidden_named: forbidden typed resource · the account or key may not do that
  says (repository|repo|project) (is|was|has been) archived, (gh006|gh007|gh009|gh013), protected branch, repository rule violations,
    (pre receive hook declined|hook declined to update), permission to … denied to
  eg {"status":423,"headers":{},"body":{"message":"Repo is archived"}}
disk_full: disk_full specific · no disk space left; a file may be half-written
  code "Unknown system error -122" errno=-122 win32=112
  eg {"message":"it failed","errno":-122}
io: io specific transient none · a file or device cannot be read or written
  code EMFILE ENFILE
  or says too many open files, file table overflow, (cannot|unable to) fork, fork failed
  eg thrown {"message":"EMFILE: too many open files","code":"EMFILE"}
system_io: io typed · a file or device cannot be read or written
  code EIO ESTALE "Unknown system error -116" errno=-116 sqlstate=xx001|xx002 sqlstate_class=58 sqlite=10
  or says input output error, stale file handle, sqlite ioerr
  eg thrown {"message":"it failed","code":"EIO"}
io_said: io status maybe · the words alone can mean many things, a connection that failed among them
  says (i o|io) error
  eg I/O error while writing the journal
no_memory: out_of_memory typed · memory ran out
  code ENOMEM EAI_MEMORY
  eg thrown {"message":"spawn ENOMEM","code":"ENOMEM"}
agent_limit: max_steps specific · Pydantic AI's name for a limit that the caller set for the run
  code UsageLimitExceeded
  eg thrown {"name":"UsageLimitExceeded","message":"Exceeded the total_tokens_limit of 1000 (total_tokens=1284)"}
`,
)
