// zstd for kafkajs, which knows the codec's number but brings no code for it. A topic with
// compression.type=zstd, or records of another producer, could not be read without it.
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import kafkajs from 'kafkajs'

const compress = promisify(zstdCompress)
interface Inflated {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}
// With `info` it says what it has read, which the declarations of Node do not know.
const decompressFrame = promisify(zstdDecompress as (bytes: Uint8Array, options: object, done: (error: Error | null) => void) => void) as (
  bytes: Uint8Array,
  options: { readonly info: true },
) => Promise<unknown>

/** All frames: Node stops after the first and says nothing. */
export async function decompress(bytes: Uint8Array): Promise<Buffer> {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length || at === 0; ) {
    const { buffer, engine } = (await decompressFrame(bytes.subarray(at), { info: true })) as Inflated
    parts.push(buffer)
    at += engine.bytesWritten
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

/** Registers the codec with kafkajs, which keeps one table per process. */
export function registerZstd(): void {
  kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = () => ({
    // On libuv's pool: a batch of megabytes would stop the event loop.
    compress: (encoder: { readonly buffer: Buffer }) => compress(encoder.buffer),
    decompress,
  })
}
