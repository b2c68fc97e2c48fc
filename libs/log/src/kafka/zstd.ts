// zstd for kafkajs, which knows the codec's number but brings no code for it. A topic with compression.type=zstd, or records of another
// producer, could not be read without it.
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import kafkajs from 'kafkajs'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** Registers the codec with kafkajs, which keeps one table per process. */
export function registerZstd(): void {
  kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = () => ({
    // On libuv's pool: a batch of megabytes would stop the event loop.
    compress: (encoder: { readonly buffer: Buffer }) => compress(encoder.buffer),
    decompress: (buffer: Buffer) => decompress(buffer),
  })
}
