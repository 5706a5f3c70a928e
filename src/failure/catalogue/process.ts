import { words } from './infra/example.ts'
import { family } from './rule.ts'

const ended = (exitCode: number | null, signal: string | null = null, stderr = '') => ({
  exitCode,
  signal,
  stdout: '',
  stderr,
})

/** How programs end, when their output says nothing better. */
export default family('process', {
  not_found: {
    kind: 'binary_not_found',
    rank: 'named',
    effect: 'none',
    why: 'exit 127 (9009 on Windows): the shell did not find the program, or its interpreter',
    when: { code: ['exit=127', 'exit=9009'] },
    example: ended(127),
  },
  not_found_inside: {
    kind: 'binary_not_found',
    rank: 'hint',
    effect: 'none',
    why: 'a wrapper reports exit 127 of the program inside it',
    when: { code: ['said_exit=127'] },
    example: 'Claude Code process exited with code 127',
  },
  not_executable: {
    kind: 'permission',
    rank: 'hint',
    effect: 'none',
    why: 'exit 126: found, but it cannot be executed',
    when: { code: ['exit=126', 'said_exit=126'] },
    example: ended(126),
  },
  timeout: {
    kind: 'timeout',
    rank: 'hint',
    why: 'exit 124: timeout(1) around the program fired',
    when: { code: ['exit=124', 'said_exit=124'] },
    example: ended(124),
  },
  stopped: {
    kind: 'aborted',
    rank: 'hint',
    why: 'SIGINT, SIGQUIT, SIGTERM or SIGHUP: the program was asked to stop',
    when: {
      code: words(`signal=sigint signal=sigterm signal=sighup signal=sigquit exit=129 exit=130 exit=131 exit=143 exit=-2 exit=-15
        said_exit=129 said_exit=130 said_exit=143 said_signal=sigint said_signal=sigterm exit=3221225786`),
    },
    example: ended(143, null, 'Claude Code process exited with code 143'),
  },
  killed: {
    kind: 'killed',
    rank: 'hint',
    why: 'SIGKILL: the kernel, an operator or a supervisor',
    when: { code: ['signal=sigkill', 'exit=137', 'said_exit=137', 'said_signal=sigkill', 'exit=-9'] },
    example: ended(null, 'SIGKILL'),
  },
  crashed: {
    kind: 'crash',
    rank: 'hint',
    why: 'a signal that only a crash sends',
    when: {
      code: words(`signal=sigsegv signal=sigabrt signal=sigbus signal=sigfpe signal=sigill exit=134 exit=135 exit=136 exit=139
        exit=-6 exit=-11 said_exit=134 said_exit=139 said_signal=sigsegv said_signal=sigabrt said_signal=sigbus
        said_signal=sigill said_signal=sigfpe exit=3221225477 exit=3221226505`),
    },
    example: ended(139),
  },
  cpu_limit: {
    kind: 'timeout',
    rank: 'hint',
    why: "the program's CPU time limit is reached",
    when: { code: ['exit=152', 'signal=sigxcpu', 'said_signal=sigxcpu'] },
    example: ended(152),
  },
  file_limit: {
    kind: 'max_size',
    rank: 'hint',
    why: "the program's file size limit is reached",
    when: { code: ['exit=153', 'signal=sigxfsz', 'said_signal=sigxfsz'] },
    example: ended(153),
  },
  panicked: {
    kind: 'code_bug',
    rank: 'last',
    why: 'exit 101: a Rust program panicked; sysexits 70 means the same',
    when: { code: ['exit=101', 'exit=70'] },
    example: ended(101),
  },
  never_settled: {
    kind: 'code_bug',
    rank: 'said',
    effect: 'maybe',
    why: 'a module waits for something that can no longer happen',
    when: { says: ['unsettled top level await'] },
    example: ended(13, null, 'Warning: Detected unsettled top-level await at file:///srv/a.mjs:1'),
  },
  try_later: {
    kind: 'server_error',
    rank: 'last',
    why: 'sysexits 69 and 75: unavailable, try again later',
    when: { code: ['exit=69', 'exit=75'] },
    example: ended(75),
  },
  usage: {
    kind: 'config',
    rank: 'last',
    why: 'sysexits 64 and 78: called or set up wrong',
    when: { code: ['exit=64', 'exit=78'] },
    example: ended(64),
  },
  bad_data: {
    kind: 'invalid_request',
    rank: 'last',
    why: 'sysexits 65: the input is wrong',
    when: { code: ['exit=65'] },
    example: ended(65),
  },
  no_right: {
    kind: 'permission',
    rank: 'last',
    why: 'sysexits 77: no permission to do this',
    when: { code: ['exit=77'] },
    example: ended(77),
  },
  system: {
    kind: 'io',
    rank: 'last',
    effect: 'maybe',
    why: 'sysexits 71 and 74: the system or a disk failed',
    when: { code: ['exit=71', 'exit=74'] },
    example: ended(74),
  },
})
