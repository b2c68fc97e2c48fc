// Reads the decoded size of a body from its own header or trailer. A client can state a wrong size, so the size determines only how much
// memory is reserved.
import type { ContentEncoding } from '@svc-server/otlp/media-type'

export interface DecodedSize {
  readonly bytes: number
  /** False if `bytes` is only an estimate. */
  readonly declared: boolean
}

/**
 * LLM spans compress by a factor of 3 to 4. The estimate assumes a higher factor: too low an estimate costs a second attempt, but too high
 * an estimate only reserves memory for some milliseconds.
 */
const usualRatio = 6
const smallestGuess = 64 * 1024

export function decodedSize(body: Uint8Array, compression: ContentEncoding): DecodedSize {
  if (compression === 'identity') return { bytes: body.length, declared: true }
  const declared = compression === 'gzip' ? gzipSize(body) : compression === 'zstd' ? zstdSize(body) : undefined
  if (declared !== undefined) return { bytes: declared, declared: true }
  return { bytes: Math.max(smallestGuess, body.length * usualRatio), declared: false }
}

/**
 * RFC 1952: the last four bytes are the size of the last member, modulo 2^32. In a truncated body, these bytes can have any value. The
 * function therefore returns at most 1032 times the size of the body: data compressed with deflate never decompresses to more than that.
 */
function gzipSize(body: Uint8Array): number | undefined {
  if (body.length < 18) return undefined
  const claimed = new DataView(body.buffer, body.byteOffset + body.length - 4, 4).getUint32(0, true)
  return Math.min(claimed, body.length * 1032)
}

/** RFC 8878 §3.1.1: Frame_Content_Size. Streaming clients omit it. */
function zstdSize(body: Uint8Array): number | undefined {
  if (body.length < 18) return undefined
  const view = new DataView(body.buffer, body.byteOffset, 18)
  if (view.getUint32(0, true) !== 0xfd2fb528) return undefined
  const descriptor = view.getUint8(4)
  const singleSegment = (descriptor & 0x20) !== 0
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!
  const at = 5 + (singleSegment ? 0 : 1) + dictionaryBytes
  switch (descriptor >> 6) {
    case 0:
      return singleSegment ? view.getUint8(at) : undefined
    case 1:
      return view.getUint16(at, true) + 256
    case 2:
      return view.getUint32(at, true)
    default:
      return Number(view.getBigUint64(at, true))
  }
}
