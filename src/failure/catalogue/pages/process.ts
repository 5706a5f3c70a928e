import { page } from '../page.ts'

/** How a process ended: exit codes and signals. */
export default page(
  'process',
  `
not_found: binary_not_found typed · exit 127 (9009 on Windows): the shell did not find the program, or its interpreter
  code exit=127|9009
  eg {"exitCode":127,"signal":null,"stdout":"","stderr":""}
not_found_inside: binary_not_found status · a wrapper reports exit 127 of the program inside it
  code said_exit=127
  eg Claude Code process exited with code 127
not_executable: permission status · exit 126: found, but it cannot be executed
  code exit=126 said_exit=126
  eg {"exitCode":126,"signal":null,"stdout":"","stderr":""}
timeout: timeout status · exit 124: timeout(1) around the program fired; 152: its limit of CPU time
  code exit=124|152 said_exit=124 signal=sigxcpu said_signal=sigxcpu
  eg {"exitCode":124,"signal":null,"stdout":"","stderr":""}
stopped: aborted status · SIGINT, SIGQUIT, SIGTERM or SIGHUP: the program was asked to stop
  code signal=sigint|sigterm|sighup|sigquit exit=129|130|131|143|-2|-15|3221225786 said_exit=129|130|143
    said_signal=sigint|sigterm
  eg {"exitCode":143,"signal":null,"stdout":"","stderr":"Claude Code process exited with code 143"}
killed: killed status · SIGKILL: the kernel, an operator or a supervisor
  code signal=sigkill exit=137|-9 said_exit=137 said_signal=sigkill
  eg {"exitCode":null,"signal":"SIGKILL","stdout":"","stderr":""}
crashed: crash status · a signal that only a crash sends
  code signal=sigsegv|sigabrt|sigbus|sigfpe|sigill exit=134|135|136|139|-6|-11|3221225477|3221226505 said_exit=134|139
    said_signal=sigsegv|sigabrt|sigbus|sigill|sigfpe
  or says rust backtrace
  eg {"exitCode":139,"signal":null,"stdout":"","stderr":""}
file_limit: max_size status · the program's file size limit is reached
  code exit=153 signal=sigxfsz said_signal=sigxfsz
  eg {"exitCode":153,"signal":null,"stdout":"","stderr":""}
panicked: code_bug last · exit 101: a Rust program panicked; sysexits 70 means the same
  code exit=101|70
  eg {"exitCode":101,"signal":null,"stdout":"","stderr":""}
never_settled: code_bug general · a module waits for something that can no longer happen
  says unsettled top level await
  eg {"exitCode":13,"signal":null,"stdout":"","stderr":"Warning: Detected unsettled top-level await at file:///srv/a.mjs:1"}
try_later: server_error last · sysexits 69 and 75: unavailable, try again later
  code exit=69|75
  eg {"exitCode":75,"signal":null,"stdout":"","stderr":""}
usage: config last · sysexits 64 and 78: called or set up wrong
  code exit=64|78
  eg {"exitCode":64,"signal":null,"stdout":"","stderr":""}
no_right: permission last · sysexits 77: no permission to do this
  code exit=77
  eg {"exitCode":77,"signal":null,"stdout":"","stderr":""}
system: io last · sysexits 71 and 74: the system or a disk failed
  code exit=71|74
  eg {"exitCode":74,"signal":null,"stdout":"","stderr":""}
`,
)
