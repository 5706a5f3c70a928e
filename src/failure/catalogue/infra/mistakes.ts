import { family } from '../rule.ts'
import { coded, words } from './example.ts'

/** Bugs in the calling code or its installation, as JavaScript runtimes name them. */
export default family('mistake', {
  misuse: {
    kind: 'code_bug',
    why: 'a function was called wrong: a bug in the calling code',
    when: {
      code: words(`EINVAL EBADF EFAULT ENOTSUP ENOSYS ESPIPE ENOTTY ENXIO EMSGSIZE EISCONN EALREADY ENOTSOCK EXDEV
        EAFNOSUPPORT EAI_BADFLAGS EAI_FAMILY EAI_SERVICE EAI_SOCKTYPE ERR_SOCKET_BAD_PORT ERR_INVALID_ARG_TYPE
        ERR_INVALID_ARG_VALUE ERR_INVALID_STATE ERR_INVALID_THIS ERR_INVALID_CALLBACK ERR_OUT_OF_RANGE ERR_ASSERTION`),
    },
    example: coded('ERR_INVALID_ARG_TYPE', 'The "path" argument must be of type string. Received undefined'),
  },
  misuse_by_name: {
    kind: 'code_bug',
    rank: 'said',
    why: "Node's codes for wrong arguments begin alike, and there are too many to list",
    when: {
      says: [
        'err (invalid|missing|unknown) (arg|args|char|http|ip|option|signal|encoding|return|file|tuple|buffer|cursor|fd|module|performance|protocol|sync|uri|transfer|credential|stdin)',
      ],
    },
    example: coded('ERR_MISSING_OPTION', 'options.sharedKey is needed'),
  },
  stream_misuse: {
    kind: 'code_bug',
    effect: 'maybe',
    why: 'a stream or an answer used after its end; what was written before may have arrived',
    when: {
      code: words(`ERR_STREAM_WRITE_AFTER_END ERR_STREAM_DESTROYED ERR_STREAM_CANNOT_PIPE ERR_STREAM_NULL_VALUES
        ERR_HTTP_HEADERS_SENT ERR_IPC_DISCONNECTED ERR_UNHANDLED_REJECTION`),
    },
    example: { message: 'it failed', code: 'ERR_STREAM_DESTROYED' },
  },
  install: {
    kind: 'not_found',
    why: 'the installation is broken: a module is missing',
    when: {
      code: words(
        'ERR_MODULE_NOT_FOUND MODULE_NOT_FOUND ERR_PACKAGE_PATH_NOT_EXPORTED ERR_REQUIRE_ESM ERR_DLOPEN_FAILED ModuleNotFoundError ImportError',
      ),
    },
    example: coded('ERR_PACKAGE_PATH_NOT_EXPORTED', "Package subpath './x' is not defined by exports"),
  },
  bad_url: {
    kind: 'config',
    why: 'the address is not a valid URL or is not allowed',
    when: {
      code: words(
        'ERR_INVALID_URL ERR_FR_TOO_MANY_REDIRECTS ERR_TOO_MANY_REDIRECTS ERR_UNSUPPORTED_ESM_URL_SCHEME MissingSchema InvalidSchema',
      ),
    },
    example: { message: 'it failed', code: 'ERR_UNSUPPORTED_ESM_URL_SCHEME' },
  },
  bad_options: {
    kind: 'config',
    why: 'options that contradict each other or the runtime',
    when: {
      code: words(
        'ERR_TLS_INVALID_PROTOCOL_VERSION ERR_TLS_PROTOCOL_VERSION_CONFLICT ERR_TLS_REQUIRED_SERVER_NAME ERR_TLS_INVALID_CONTEXT ERR_WORKER_INVALID_EXEC_ARGV ERR_WORKER_PATH ERR_BAD_OPTION ERR_BAD_OPTION_VALUE',
      ),
    },
    rank: 'cause',
    example: coded('ERR_TLS_PROTOCOL_VERSION_CONFLICT', 'TLS protocol version conflicts with secureProtocol'),
  },
  js_error: {
    kind: 'code_bug',
    rank: 'last',
    why: 'a JavaScript error type that only buggy code throws',
    when: {
      code: words(
        'TypeError ReferenceError RangeError EvalError URIError AssertionError AttributeError KeyError NameError IndexError ValueError NullPointerException NullReferenceException InvalidOperationException ArgumentException DataCloneError',
      ),
    },
    example: new ReferenceError('foo'),
  },
  syntax_error: {
    kind: 'bad_json',
    rank: 'last',
    why: 'text that does not parse, usually JSON from a model or a proxy',
    when: { code: ['SyntaxError', 'JSONParseError', 'JSONDecodeError', 'AI_JSONParseError'] },
    example: new SyntaxError('Bad control character'),
  },
})
