import { type Duplex, pipeline, Readable } from 'node:stream'
// As a whole: an older Node lacks Zstandard, and must reach the check that says it is too old.
import * as zlib from 'node:zlib'

/** Content codings that are read, by name. */
const DECODERS: Readonly<Record<string, (from: Readable) => Readable>> = {
  gzip: gunzipped,
  'x-gzip': gunzipped,
  deflate: from => Readable.from(inflated(from)),
  br: from =>
    through(from, zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH })),
  zstd: from => through(from, zlib.createZstdDecompress({ finishFlush: zlib.constants.ZSTD_e_flush })),
}
/** More codings than any answer has; `fetch` reads as many. */
const MOST_CODINGS = 5
/** As in browsers and `fetch`: what ends early is read as far as it came, so an empty body is empty. */
const LENIENT = { finishFlush: zlib.constants.Z_SYNC_FLUSH }

/** The names in a `content-encoding`, if all of them can be read; a body in any other comes as it is. */
export function codingsOf(header: string | null): string[] {
  const codings =
    header
      ?.toLowerCase()
      .trim()
      .split(/\s*,\s*/) ?? []
  const isRead = codings.length <= MOST_CODINGS && codings.every(coding => Object.hasOwn(DECODERS, coding))
  return isRead ? codings : []
}

/** Answers come uncompressed, because we ask for that; one that does not is read all the same. */
export function decoded(body: Readable, contentEncoding: string | null): Readable {
  return codingsOf(contentEncoding).reduceRight((from, coding) => {
    // It may fail before anybody reads. Who reads then sees it.
    from.on('error', () => {})
    return (DECODERS[coding] as (from: Readable) => Readable)(from)
  }, body)
}

function gunzipped(from: Readable): Readable {
  return through(from, zlib.createGunzip(LENIENT))
}

/** Some say "deflate" and leave out its two bytes of header. */
async function* inflated(from: Readable): AsyncGenerator<Buffer> {
  const pieces = from[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>
  const { done, value: first } = await pieces.next()
  if (done) return
  const isRaw = ((first[0] as number) & 0x0f) !== 8
  const all = Readable.from(startingWith(first, pieces))
  yield* through(all, isRaw ? zlib.createInflateRaw(LENIENT) : zlib.createInflate(LENIENT))
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first
  yield* rest
}

/** What comes out of a decoder. An error or an end of either ends both. */
function through(from: Readable, to: Duplex): Readable {
  pipeline(from, to, () => {})
  return to
}
