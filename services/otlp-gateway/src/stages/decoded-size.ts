// Reads the decoded size of a body from the body's own header or trailer before inflating it. The declared size can be false, so it is used
// only to reserve memory.
import type { ContentEncoding } from '@svc-server/otlp/media-type'

export interface DecodedSize {
  readonly bytes: number
  /** False if the body declares no decoded size, so that `bytes` is an estimate from the usual compression ratio. */
  readonly declared: boolean
}

/**
 * LLM spans compress by a factor of 3 to 4. An estimate that is too low costs a second attempt. An estimate that is too high only keeps too
 * much memory reserved for a few milliseconds.
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
 * RFC 1952: the last four bytes are the size of the last member, modulo 2^32. The last bytes of a truncated body are arbitrary, so the
 * declared size is capped: deflate compresses by at most 1032:1.
 */
function gzipSize(body: Uint8Array): number | undefined {
  if (body.length < 18) return undefined
  const claimed = new DataView(body.buffer, body.byteOffset + body.length - 4, 4).getUint32(0, true)
  return Math.min(claimed, body.length * 1032)
}

/** RFC 8878 §3.1.1: the field Frame_Content_Size, if the frame has this field. Streaming clients omit this field. */
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
