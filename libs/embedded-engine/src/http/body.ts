// Handles the bodies of requests. Decompresses a body as it arrives, and keeps only its SQL in memory. The data behind the SQL is written
// to a file.
import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { SqlRefused } from '../sql/refused.ts'

/** The rest of a body must arrive within this time once the response no longer depends on it. */
const bodyLingerMs = 30_000

const decoders = { gzip: createGunzip, deflate: createInflate, zstd: createZstdDecompress } as const

/**
 * Yields the decoded bytes of a request. The socket stays open if the caller stops the iteration early, so that the client still receives
 * the refusal. The iteration rejects with the decoder's error if the body is damaged. The iteration rejects with ECONNRESET if the client
 * disconnects.
 */
export const decodedBody = (req: IncomingMessage): AsyncIterator<Buffer> => {
  const encoding = req.headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity') return req.iterator({ destroyOnReturn: false })
  if (!Object.hasOwn(decoders, encoding)) throw new SqlRefused('NOT_IMPLEMENTED', `Content-Encoding ${encoding} is not supported`)
  const decoder = decoders[encoding as keyof typeof decoders]()
  let received = 0
  req.on('data', (chunk: Buffer) => (received += chunk.length))
  req.on('error', error => decoder.destroy(error))
  decoder.on('error', () => void discardBody(req, bodyLingerMs))
  const decoded = req.pipe(decoder).iterator({ destroyOnReturn: false })
  return {
    async next() {
      const result = await decoded.next()
      // After the first zstd frame, Node silently ends the decoded body. Without the check, an insert of several frames would succeed and
      // lose rows.
      if (result.done && received > decoder.bytesWritten) {
        void discardBody(req, bodyLingerMs)
        throw new SqlRefused(
          'CANNOT_DECOMPRESS',
          `${received - decoder.bytesWritten} bytes follow the end of the ${encoding} data: send one compressed stream`,
        )
      }
      return result
    },
  }
}

/**
 * Discards the rest of the body. Node stops reading when the response is finished, so a response before the end of the body would leave
 * bytes in the connection. Unread bytes would make the next request on the connection wait forever.
 */
export const discardBody = async (req: IncomingMessage, timeoutMs: number): Promise<boolean> => {
  // An abandoned iterator can leave a `readable` listener behind, which keeps a stream from flowing.
  req.unpipe().removeAllListeners('readable').resume()
  if (req.readableEnded || req.destroyed) return true
  const late = AbortSignal.timeout(timeoutMs)
  await finished(req, { signal: late, cleanup: true }).catch(() => undefined)
  return req.readableEnded || req.destroyed
}

/** Reads until at least `enough` bytes have arrived or the body ends. The iterator keeps the bytes that are not returned. */
export const readUpTo = async (body: AsyncIterator<Buffer>, enough: number): Promise<{ bytes: Buffer; ended: boolean }> => {
  const chunks: Buffer[] = []
  let size = 0
  while (size < enough) {
    const { value, done } = await body.next()
    if (done) return { bytes: Buffer.concat(chunks), ended: true }
    chunks.push(value)
    size += value.length
  }
  return { bytes: Buffer.concat(chunks), ended: false }
}

const tooLarge = (limit: number): SqlRefused =>
  new SqlRefused('QUERY_IS_TOO_LARGE', `The body is larger than ${limit} bytes after decompression`)

/** Returns the bytes in `first` and the rest of the body, in memory. Throws QUERY_IS_TOO_LARGE if the body exceeds the limit. */
export const readAll = async (body: AsyncIterator<Buffer>, first: Buffer, limit: number): Promise<Buffer> => {
  const { bytes, ended } = await readUpTo(body, Math.max(0, limit + 1 - first.length))
  if (!ended) throw tooLarge(limit)
  return first.length === 0 ? bytes : Buffer.concat([first, bytes])
}

export interface SpoolOptions {
  readonly directory: string
  /** Maximum bytes of the body of one insert, after decompression. */
  readonly maxBodyBytes: number
  /**
   * Maximum bytes of all bodies in the spool. Above this maximum, the largest body that is still arriving is refused. Small bodies are
   * never refused.
   */
  readonly maxTotalBytes: number
}

export interface Spool {
  /** Empties the directory. Files of an earlier process belong to inserts that were never acknowledged. */
  prepare(): Promise<void>
  /** Writes the body to a new file and passes the file to `use`. The body's file is always removed afterwards. */
  with<Result>(body: AsyncIterator<Buffer>, first: Buffer, use: (file: string) => Promise<Result>): Promise<Result>
}

interface Upload {
  bytes: number
  readonly stop: AbortController
}

/**
 * Accepts bodies up to this size even if all bodies together exceed the limit on disk space. A block that the writer inserts is smaller
 * than this size.
 */
const smallBytes = 64 * 1024 * 1024

/** Limits the disk space that all bodies use together, because the event log needs space on the same disk. */
const createShare = (maxTotalBytes: number) => {
  const arriving = new Set<Upload>()
  let total = 0
  return {
    arriving,
    take(upload: Upload, bytes: number) {
      upload.bytes += bytes
      total += bytes
      if (total <= maxTotalBytes) return
      const largest = [...arriving].reduce((a, b) => (b.bytes > a.bytes ? b : a), upload)
      if (largest.bytes > smallBytes)
        largest.stop.abort(
          new SqlRefused('TOO_MANY_SIMULTANEOUS_QUERIES', 'Too many simultaneous queries: the bodies of inserts need too much memory'),
        )
    },
    release(upload: Upload) {
      arriving.delete(upload)
      total -= upload.bytes
      upload.bytes = 0
    },
  }
}

/** Bytes per write to the file. A socket delivers at most 64 KiB at a time. */
const writtenBytes = 1 << 20

/** Collects bytes while earlier ones are being written. A pipeline of three Node streams would take more time than writing the file. */
const writeBody = async (target: FileHandle, body: AsyncIterable<Buffer>): Promise<void> => {
  let pending: Buffer[] = []
  let size = 0
  let writing = Promise.resolve()
  const flush = async () => {
    const some = pending
    pending = []
    size = 0
    await writing
    writing = writeAll(target, some)
    // The `await` below throws the error. The handler only prevents an unhandled rejection.
    writing.catch(() => undefined)
  }
  for await (const chunk of body) {
    pending.push(chunk)
    size += chunk.length
    if (size >= writtenBytes) await flush()
  }
  if (size > 0) await flush()
  await writing
}

const writeAll = async (target: FileHandle, chunks: readonly Buffer[]): Promise<void> => {
  for (let rest = chunks; rest.length > 0; ) rest = behind(rest, (await target.writev(rest)).bytesWritten)
  for (const { buffer, byteLength } of chunks) {
    // Frees the chunks, because megabytes of unfreed chunks would make the garbage collector mark the whole heap. Frees a buffer only if it
    // belongs to a single chunk, because the chunks of a decoder can share a buffer.
    if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0)
  }
}

/** A write can accept fewer bytes than it was given. Returns the unwritten chunks. */
const behind = (chunks: readonly Buffer[], bytes: number): readonly Buffer[] => {
  let left = bytes
  return chunks.flatMap(chunk => {
    const skipped = Math.min(left, chunk.length)
    left -= skipped
    return skipped < chunk.length ? [chunk.subarray(skipped)] : []
  })
}

export const createSpool = ({ directory, maxBodyBytes, maxTotalBytes }: SpoolOptions): Spool => {
  const share = createShare(maxTotalBytes)
  return {
    async prepare() {
      await rm(directory, { recursive: true, force: true })
      await mkdir(directory, { recursive: true, mode: 0o700 })
    },
    async with(body, first, use) {
      const file = join(directory, randomUUID())
      const upload: Upload = { bytes: 0, stop: new AbortController() }
      share.arriving.add(upload)
      try {
        const { signal } = upload.stop
        /** Rejects the promise for the next piece, for which the code waits. */
        let giveUp = (_reason: unknown): void => {}
        signal.addEventListener('abort', () => giveUp(signal.reason), { once: true })
        // The code creates a promise per piece of the body. One promise for the whole body would keep every piece in memory until the end.
        const nextPiece = (): Promise<IteratorResult<Buffer>> =>
          new Promise((resolve, reject) => {
            signal.throwIfAborted()
            giveUp = reject
            body.next().then(resolve, reject)
          })
        const counted = (chunk: Buffer): Buffer => {
          share.take(upload, chunk.length)
          signal.throwIfAborted()
          if (upload.bytes > maxBodyBytes) throw tooLarge(maxBodyBytes)
          return chunk
        }
        // Avoids `yield*`, with which an error thrown into the generator would reach the request and destroy its socket.
        const source = async function* () {
          if (first.length > 0) yield counted(first)
          for (;;) {
            const next = await nextPiece()
            if (next.done) return
            yield counted(next.value)
          }
        }
        // The file needs no fsync, because only the engine reads it, immediately.
        const target = await open(file, 'wx', 0o600)
        try {
          await writeBody(target, source())
        } finally {
          await target.close()
        }
        share.arriving.delete(upload)
        return await use(file)
      } finally {
        share.release(upload)
        await rm(file, { force: true })
      }
    },
  }
}
