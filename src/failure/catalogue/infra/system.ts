import { family } from '../rule.ts'
import { coded, words } from './example.ts'

/** Our own machine: files, disks, processes, memory. Says nothing about a service. */
export default family('system', {
  absent: {
    kind: 'not_found',
    why: 'the path is wrong',
    when: { code: ['ENOENT', 'ENOTDIR', 'ENODEV'] },
    example: { message: 'it failed', code: 'ENOTDIR' },
  },
  bad_path: {
    kind: 'invalid_request',
    rank: 'named',
    why: 'the path cannot be used this way',
    when: [
      { code: ['EISDIR', 'ELOOP', 'ENAMETOOLONG'] },
      {
        says: [
          'illegal operation on a directory',
          'too many symbolic links',
          'too many levels of symbolic links',
          'file name too long',
        ],
      },
    ],
    example: coded('EISDIR', 'EISDIR: illegal operation on a directory, read'),
  },
  permission: {
    kind: 'permission',
    why: 'the operating system refuses',
    when: { code: ['EACCES', 'EPERM', 'EROFS', 'ERR_ACCESS_DENIED', 'ENOEXEC'] },
    example: { message: 'it failed', code: 'ERR_ACCESS_DENIED' },
  },
  busy: {
    kind: 'lock',
    effect: 'none',
    why: 'in use right now',
    when: { code: ['EBUSY', 'ETXTBSY', 'EAGAIN', 'EWOULDBLOCK'] },
    example: coded('EBUSY', 'EBUSY: unlink failed'),
  },
  exists: {
    class: 'permanent',
    kind: 'conflict',
    why: 'it already exists, or is not empty',
    when: { code: ['EEXIST', 'ENOTEMPTY'] },
    example: { message: 'it failed', code: 'EEXIST' },
  },
  disk_full: {
    kind: 'disk_full',
    effect: 'maybe',
    rank: 'cause',
    why: 'no disk space left; a file may be half-written',
    when: {
      code: ['ENOSPC', 'EDQUOT', 'errno=-122', 'Unknown system error -122'],
      unless: ['file watchers'],
    },
    example: { message: 'it failed', errno: -122 },
  },
  watchers: {
    kind: 'config',
    rank: 'named',
    why: 'ENOSPC of a watch is the kernel limit for watched files, not the disk',
    when: { says: ['file watchers', 'inotify watches', 'inotify instances'] },
    example: new Error('System limit for number of file watchers reached'),
  },
  descriptors: {
    class: 'transient',
    kind: 'io',
    effect: 'none',
    rank: 'cause',
    why: 'our own process ran out of file descriptors; this also makes names look unresolvable',
    when: [{ code: ['EMFILE', 'ENFILE'] }, { says: ['too many open files', 'file table overflow'] }],
    example: coded('EMFILE', 'EMFILE: too many open files'),
  },
  no_processes: {
    class: 'transient',
    kind: 'io',
    effect: 'none',
    rank: 'cause',
    why: 'our own process limit is reached: says nothing about the service',
    when: [
      { code: ['EAGAIN'], also: ['syscall=spawn'] },
      {
        says: [
          'fork (failed|) (retry|) resource temporarily unavailable',
          'cannot fork',
          'unable to fork',
          'fork failed',
        ],
      },
    ],
    example: coded('EAGAIN', 'spawn /bin/sh EAGAIN', { syscall: 'spawn /bin/sh' }),
  },
  io: {
    kind: 'io',
    effect: 'maybe',
    rank: 'named',
    why: 'a device or a network disk failed',
    when: [
      { code: ['EIO', 'ESTALE', 'errno=-116', 'Unknown system error -116'] },
      { says: ['input output error', 'stale file handle'] },
    ],
    example: { message: 'it failed', code: 'EIO' },
  },
  io_said: {
    kind: 'io',
    effect: 'maybe',
    rank: 'hint',
    why: 'the words alone can mean many things, including a failed connection',
    when: { says: ['i o error', 'io error'] },
    example: 'I/O error while writing the journal',
  },
  too_large: {
    kind: 'request_too_large',
    rank: 'named',
    why: 'over a limit of the runtime or the file system',
    when: [
      { code: words('EFBIG EOVERFLOW ERANGE ERR_FS_FILE_TOO_LARGE ERR_STRING_TOO_LONG') },
      { says: ['cannot create a string longer than', 'is greater than # gib'] },
    ],
    example: { message: 'it failed', code: 'EFBIG' },
  },
  no_memory: {
    kind: 'out_of_memory',
    why: 'memory ran out',
    when: { code: ['ENOMEM', 'EAI_MEMORY', 'ERR_WORKER_OUT_OF_MEMORY', 'MemoryError', 'OutOfMemoryError'] },
    example: coded('ENOMEM', 'spawn ENOMEM'),
  },
})
