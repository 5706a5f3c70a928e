import { family } from './rule.ts'

const ended = (exitCode: number | null, signal: string | null = null, stderr = '') => ({ exitCode, signal, stdout: '', stderr })

/** How programs end, when their output says nothing better. */
export default family('process', {
  not_found: { kind: 'binary_not_found', rank: 'hint', effect: 'none', why: 'exit 127 (9009 on Windows): the shell found no such program', when: { code: ['exit=127', 'said_exit=127', 'exit=9009'] }, example: ended(127) },
  not_executable: { kind: 'permission', rank: 'hint', effect: 'none', why: 'exit 126: found, but it cannot be executed', when: { code: ['exit=126', 'said_exit=126'] }, example: ended(126) },
  timeout: { kind: 'timeout', rank: 'hint', why: 'exit 124: timeout(1) around the program fired', when: { code: ['exit=124', 'said_exit=124'] }, example: ended(124) },
  stopped: {
    kind: 'aborted',
    rank: 'hint',
    why: 'SIGINT, SIGTERM or SIGHUP: somebody asked the program to stop',
    when: { code: ['signal=sigint', 'signal=sigterm', 'signal=sighup', 'exit=130', 'exit=143', 'exit=129', 'said_exit=130', 'said_exit=143', 'said_exit=129', 'said_signal=sigint', 'said_signal=sigterm', 'exit=3221225786'] },
    example: ended(143, null, 'Claude Code process exited with code 143'),
  },
  killed: { kind: 'killed', rank: 'hint', why: 'SIGKILL: the kernel, an operator or a supervisor; nobody says who', when: { code: ['signal=sigkill', 'exit=137', 'said_exit=137', 'said_signal=sigkill', 'exit=-9'] }, example: ended(null, 'SIGKILL') },
  crashed: {
    kind: 'crash',
    rank: 'hint',
    why: 'a signal that only a crash sends',
    when: { code: ['signal=sigsegv', 'signal=sigabrt', 'signal=sigbus', 'signal=sigfpe', 'signal=sigill', 'exit=134', 'exit=135', 'exit=136', 'exit=139', 'said_exit=134', 'said_exit=139', 'said_signal=sigsegv', 'said_signal=sigabrt', 'said_signal=sigbus', 'said_signal=sigill', 'said_signal=sigfpe', 'exit=3221225477', 'exit=3221226505'] },
    example: ended(139),
  },
  cpu_limit: { kind: 'timeout', rank: 'hint', why: 'the processor time allowed to the program is used up', when: { code: ['exit=152', 'signal=sigxcpu', 'said_signal=sigxcpu'] }, example: ended(152) },
  file_limit: { kind: 'max_size', rank: 'hint', why: 'the file size allowed to the program is used up', when: { code: ['exit=153', 'signal=sigxfsz', 'said_signal=sigxfsz'] }, example: ended(153) },
  panicked: { kind: 'code_bug', rank: 'last', why: 'exit 101 is what a Rust program ends with when it panics', when: { code: ['exit=101'] }, example: ended(101) },
  try_later: { kind: 'server_error', rank: 'last', why: 'sysexits 69 and 75: unavailable, try again later', when: { code: ['exit=69', 'exit=75'] }, example: ended(75) },
  usage: { kind: 'config', rank: 'last', why: 'sysexits 64 and 78, and 2 of most argument parsers: called wrongly', when: { code: ['exit=64', 'exit=78'] }, example: ended(64) },
})
