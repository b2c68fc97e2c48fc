// The only decompressor of bodies and records, so that a body is decompressed identically everywhere. Decompression stops at the size
// limit, so a decompression bomb takes no more memory than the limit (F29).
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { AppError } from '@svc-server/errors'
import { createKeptZstd } from './kept-zstd.ts'
import type { ContentEncoding } from './media-type.ts'

type Compressed = Exclude<ContentEncoding, 'identity'>
interface Options extends zlib.ZlibOptions {
  readonly info: true
  readonly maxOutputLength: number
  readonly chunkSize: number
}
interface Inflated {
  readonly buffer: Buffer<ArrayBuffer>
  readonly engine: { readonly bytesWritten: number }
}
type InflateSync = (body: Uint8Array, options: Options) => Inflated
type Inflate = (body: Uint8Array, options: Options) => Promise<Inflated>

// With the option `info`, zlib returns { buffer, engine }, which Node's types omit.
const sync = (run: unknown): InflateSync => run as InflateSync
const async = (run: unknown): Inflate => promisify(run as (...all: unknown[]) => void) as unknown as Inflate

const decoders = {
  gzip: { sync: sync(zlib.gunzipSync), async: async(zlib.gunzip) },
  zlib: { sync: sync(zlib.inflateSync), async: async(zlib.inflate) },
  raw: { sync: sync(zlib.inflateRawSync), async: async(zlib.inflateRaw) },
  zstd: { sync: sync(zlib.zstdDecompressSync), async: async(zlib.zstdDecompress) },
}

/**
 * Maximum number of zstd frames in a body. Each frame needs a separate call, so a body with many frames would be expensive. No real encoder
 * writes more frames.
 */
const maxFrames = 64
const smallestChunk = 1024
/** RFC 9659: the window is at most 8 MiB, whatever the header claims. */
const zstdParams = { [zlib.constants.ZSTD_d_windowLogMax]: 23 }
const keptZstd = createKeptZstd(zstdParams)

/**
 * Decompresses a body in the thread pool, so that other requests continue. For `identity`, returns the same bytes.
 * @throws AppError body_too_large above `maxBytes`, body_undecodable when the body is damaged, incomplete, or followed by other bytes.
 */
export const inflateBody = async (body: Uint8Array, encoding: ContentEncoding, maxBytes: number): Promise<Uint8Array> => {
  if (encoding === 'identity') return withinLimit(body, maxBytes)
  const decoder = decoderOf(body, encoding)
  const frames = new Frames(body, encoding, maxBytes)
  while (frames.open)
    frames.add(await decoders[decoder].async(frames.rest, frames.options).catch(error => translate(error, encoding, maxBytes)))
  return frames.joined
}

/** Returns a buffer of at least this many bytes, with undefined contents. */
export type Allocate = (bytes: number) => Uint8Array

/**
 * Like `inflateBody`, but blocks the calling thread. Call it only on threads that serve no requests. `expectedBytes` allows one output
 * buffer instead of many small ones; a wrong value only makes decompression slower. If `expectedBytes` is set and the body is a single zstd
 * frame, `allocate` provides the output buffer.
 */
export const inflateBodySync = (
  body: Uint8Array,
  encoding: ContentEncoding,
  maxBytes: number,
  expectedBytes?: number,
  allocate: Allocate = Buffer.allocUnsafe,
): Uint8Array => {
  if (encoding === 'identity') return withinLimit(body, maxBytes)
  const decoder = decoderOf(body, encoding)
  const frames = new Frames(body, encoding, maxBytes, expectedBytes)
  if (encoding === 'zstd' && expectedBytes !== undefined) {
    const whole = keptZstd.inflate(body, allocate(frames.options.chunkSize))
    if (whole !== undefined && whole.length <= maxBytes) return whole
  }
  while (frames.open) {
    try {
      frames.add(decoders[decoder].sync(frames.rest, frames.options))
    } catch (error) {
      translate(error, encoding, maxBytes)
    }
  }
  return frames.joined
}

/**
 * `deflate` means the zlib format, but clients also send raw streams under this name. Only the zlib format has a header with a checksum.
 */
const decoderOf = (body: Uint8Array, encoding: Compressed): keyof typeof decoders => {
  if (encoding !== 'deflate') return encoding
  const [first = 0, second = 0] = body
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0 ? 'zlib' : 'raw'
}

const magic = (body: Uint8Array): number => (body.length < 4 ? 0 : new DataView(body.buffer, body.byteOffset, 4).getUint32(0, true))

/**
 * Recognizes the encoding of a body from its first bytes, for callers without the headers of the request. Protobuf begins with 0a, and JSON
 * with a brace or white space, so neither begins like gzip or zstd.
 */
export const encodingOfBody = (body: Uint8Array): ContentEncoding => {
  const first = magic(body)
  if ((first & 0xffff) === 0x8b1f) return 'gzip'
  // A zstd body can begin with a skippable frame (RFC 8878 §3.1.2).
  if (first === 0xfd2fb528 || first >>> 4 === 0x184d2a5) return 'zstd'
  return body.length > 1 && decoderOf(body, 'deflate') === 'zlib' ? 'deflate' : 'identity'
}

/**
 * Collects the output of all frames. Node decompresses all members of a gzip body, but only one zstd frame at a time. Bytes after the last
 * frame are an error.
 */
class Frames {
  readonly #body: Uint8Array
  readonly #encoding: Compressed
  readonly #maxBytes: number
  readonly #expectedBytes: number | undefined
  #parts: Uint8Array[] = []
  #size = 0
  #consumed = 0

  constructor(body: Uint8Array, encoding: Compressed, maxBytes: number, expectedBytes?: number) {
    this.#body = body
    this.#encoding = encoding
    this.#maxBytes = maxBytes
    this.#expectedBytes = expectedBytes
  }

  get open(): boolean {
    return this.#parts.length === 0 || this.#consumed < this.#body.length
  }

  get rest(): Uint8Array {
    return this.#consumed === 0 ? this.#body : this.#body.subarray(this.#consumed)
  }

  get options(): Options {
    return {
      info: true,
      maxOutputLength: Math.max(1, this.#maxBytes - this.#size),
      chunkSize: this.#chunkSize,
      ...(this.#encoding === 'zstd' && { params: zstdParams }),
    }
  }

  get #chunkSize(): number {
    // Only the first frame gets a buffer of the expected size. A body can have `maxFrames` frames. With a buffer of this size for each
    // frame, a body would take too much memory.
    if (this.#expectedBytes !== undefined && this.#parts.length === 0)
      return Math.max(smallestChunk, Math.min(this.#expectedBytes + 1, this.#maxBytes))
    // A few large chunks are a quarter faster than many chunks of the default size, 16 KiB.
    return Math.min(Math.max(4 * (this.#body.length - this.#consumed), 16_384), 1_048_576)
  }

  add({ buffer, engine }: Inflated): void {
    this.#parts.push(buffer)
    this.#size += buffer.length
    this.#consumed += engine.bytesWritten
    if (this.#size > this.#maxBytes) throw tooLarge(this.#maxBytes)
    if (this.#consumed >= this.#body.length) return
    if (this.#encoding !== 'zstd' || engine.bytesWritten === 0)
      throw undecodable(this.#encoding, `${this.#body.length - this.#consumed} bytes follow the end of the data`)
    if (this.#parts.length === maxFrames) throw undecodable(this.#encoding, `more than ${maxFrames} frames`)
  }

  get joined(): Uint8Array {
    return this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
  }
}

const withinLimit = (body: Uint8Array, maxBytes: number): Uint8Array => {
  if (body.length > maxBytes) throw tooLarge(maxBytes)
  return body
}

const tooLarge = (limit: number): AppError =>
  new AppError('body_too_large', `The body has more than ${limit} bytes uncompressed.`, { limit })

const undecodable = (encoding: ContentEncoding, why: string, cause?: unknown): AppError =>
  new AppError('body_undecodable', `The body is not valid ${encoding}: ${why}.`, { encoding }, { cause })

/** Converts errors about the input to AppErrors. Any other error is a bug and is rethrown. */
const translate = (error: unknown, encoding: ContentEncoding, maxBytes: number): never => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes)
  if (code.startsWith('Z_') || code.startsWith('ZSTD_')) throw undecodable(encoding, (error as Error).message, error)
  throw error
}
