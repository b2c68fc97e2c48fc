// Decompresses a request's body as it arrives. Keeps only the SQL of the body in memory, and writes the data to a file.
import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { SqlRefused } from '../sql/refused.ts'

/** Maximum time to receive the rest of a body after the response has been determined. */
const bodyLingerMs = 30_000

const decoders = { gzip: createGunzip, deflate: createInflate, zstd: createZstdDecompress } as const

/**
 * Yields the decoded bytes of a request. If the caller stops early, for example because it refuses the request, the socket stays open, so
 * that the client receives the response. Rejects with the decoder's error for a damaged body, and with ECONNRESET if the client
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
      // Node silently ends the decoded body after the first zstd frame. An insert of several frames would thus lose rows.
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
 * Discards the rest of the body. Node stops reading when the response is finished, and unread bytes would block the connection's next
 * request.
 */
export const discardBody = async (req: IncomingMessage, timeoutMs: number): Promise<boolean> => {
  // An abandoned iterator can leave a `readable` listener, which keeps a stream from flowing.
  req.unpipe().removeAllListeners('readable').resume()
  if (req.readableEnded || req.destroyed) return true
  const late = AbortSignal.timeout(timeoutMs)
  await finished(req, { signal: late, cleanup: true }).catch(() => undefined)
  return req.readableEnded || req.destroyed
}

/** Reads until at least `enough` bytes have arrived or the body ends. The iterator keeps further bytes. */
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

/** Reads the rest of the body, and returns `first` and the rest as one buffer. Throws QUERY_IS_TOO_LARGE above the limit. */
export const readAll = async (body: AsyncIterator<Buffer>, first: Buffer, limit: number): Promise<Buffer> => {
  const { bytes, ended } = await readUpTo(body, Math.max(0, limit + 1 - first.length))
  if (!ended) throw tooLarge(limit)
  return first.length === 0 ? bytes : Buffer.concat([first, bytes])
}

export interface SpoolOptions {
  readonly directory: string
  /** Per insert, after decompression. */
  readonly maxBodyBytes: number
  /**
   * Maximum size of all bodies in the spool together. Above this size, the largest body that is still arriving is refused, unless
   * this body has at most `smallBytes`.
   */
  readonly maxTotalBytes: number
}

export interface Spool {
  /** Empties the directory. Its files are bodies of inserts that an earlier process never acknowledged. */
  prepare(): Promise<void>
  /** Passes the body to `use` as a new file, and removes the file afterwards. */
  with<Result>(body: AsyncIterator<Buffer>, first: Buffer, use: (file: string) => Promise<Result>): Promise<Result>
}

interface Upload {
  bytes: number
  readonly stop: AbortController
}

/** A body up to this size, such as a block of the writer, is accepted even if all bodies in the spool together exceed `maxTotalBytes`. */
const smallBytes = 64 * 1024 * 1024

/** Limits the disk space of all bodies, because the event log needs space on the same disk. */
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

/**
 * Number of bytes to collect for one write to the file. Without collecting, each write would have at most 64 KiB, because a socket delivers
 * at most 64 KiB at a time.
 */
const writtenBytes = 1 << 20

/** Collects bytes while earlier bytes are being written. A pipeline of Node streams would be slower than this function. */
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
    // The `await` below throws the error. This handler only prevents an unhandled rejection.
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
    // Unfreed chunks would make the garbage collector mark the whole heap. If a chunk is smaller than its buffer, the buffer is not freed,
    // because other chunks of the decoder can share this buffer.
    if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0)
  }
}

/** Returns what remains of the chunks after a write of `bytes` bytes. A write can accept fewer bytes than it is given. */
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
        let giveUp = (_reason: unknown): void => {}
        signal.addEventListener('abort', () => giveUp(signal.reason), { once: true })
        // Each piece has its own promise. A race with one promise for the whole body would keep every piece in memory until the end.
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
        // The loop replaces `yield*`. With `yield*`, an error that is thrown into the generator would reach the request, and would destroy
        // the request's socket.
        const source = async function* () {
          if (first.length > 0) yield counted(first)
          for (;;) {
            const next = await nextPiece()
            if (next.done) return
            yield counted(next.value)
          }
        }
        // The file is not synced to the disk, because the engine reads the file immediately, and the file is deleted afterwards.
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
