// Adds the zstd codec to kafkajs. Without this codec, kafkajs cannot read topics with compression.type=zstd, or zstd records of other
// producers.
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import kafkajs from 'kafkajs'

const compress = promisify(zstdCompress)
interface Inflated {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}
// With the option `info`, zlib also returns its engine, which knows how many bytes it has read. Node's types omit this.
const decompressFrame = promisify(zstdDecompress as (bytes: Uint8Array, options: object, done: (error: Error | null) => void) => void) as (
  bytes: Uint8Array,
  options: { readonly info: true },
) => Promise<unknown>

/** Decompresses all frames, because Node's own zstd function stops silently after the first frame. */
export async function decompress(bytes: Uint8Array): Promise<Buffer> {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length || at === 0; ) {
    const { buffer, engine } = (await decompressFrame(bytes.subarray(at), { info: true })) as Inflated
    parts.push(buffer)
    at += engine.bytesWritten
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

/** Registers the codec for all clients of the process. */
export function registerZstd(): void {
  kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = () => ({
    // Compressing megabytes would block the event loop, so libuv's pool does it.
    compress: (encoder: { readonly buffer: Buffer }) => compress(encoder.buffer),
    decompress,
  })
}
