import { family } from '../rule.ts'

/** A program was ended by its own fault, or from outside. */
export default family('local', {
  crash_signal: {
    kind: 'crash',
    rank: 'named',
    why: 'the runtime or the kernel ended the program because of a fault in it',
    when: {
      says: [
        'segmentation fault',
        'core dumped',
        'bus error',
        'illegal instruction',
        'access violation',
        'bun has crashed',
      ],
    },
    example: 'Segmentation fault (core dumped)',
  },
  crash: {
    kind: 'crash',
    rank: 'said',
    why: 'the program crashed; nothing says why',
    when: {
      says: [
        'has crashed',
        'crashed',
        'fatal error in',
        'native stack trace',
        'unexpectedly stopped',
        'runner process has terminated',
        'agent loop died',
        'rust backtrace',
        'process (terminated|was killed|killed|died) (by|with) signal',
        'terminated by signal',
        'page crashed',
        'exited unexpectedly',
        'terminated unexpectedly',
        'server process exited',
        'runtime exited',
      ],
      unless: [
        'runner … terminated',
        'model runner',
        'engine process',
        'runner process',
        'connection terminated unexpectedly',
      ],
    },
    example: 'The model has crashed without additional information. (Exit code: 18446744072635812000)',
  },
  panic: {
    kind: 'code_bug',
    rank: 'said',
    effect: 'maybe',
    why: 'a program hit a case its author ruled out; the same input hits it again',
    when: {
      says: [
        'panicked at',
        'application panicked',
        'panic',
        'assertion failed',
        'goroutine # running',
        'unreachable code',
      ],
    },
    example: "thread 'main' panicked at src/session.rs:412:9",
  },
  killed: {
    kind: 'killed',
    rank: 'hint',
    why: 'killed from outside, without saying by what',
    when: { says: ['killed', 'died with', 'sigkill'] },
    example: 'Killed',
  },
})
