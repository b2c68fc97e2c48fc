// Builds and reads frames of ClickHouse's own compression format. A frame consists of a checksum, the method, two sizes, and the content.

const mask = (1n << 64n) - 1n
const k1 = 0xb492b66fbe98f273n
const k3 = 0xc949d7c7509e6557n

const times = (a: bigint, b: bigint) => (a * b) & mask
const plus = (a: bigint, b: bigint) => (a + b) & mask
const shiftMix = (value: bigint) => value ^ (value >> 47n)

function hash16(u: bigint, v: bigint): bigint {
  const factor = 0x9ddfea08eb382d69n
  const a = shiftMix(times(u ^ v, factor))
  return times(shiftMix(times(v ^ a, factor)), factor)
}

/** Computes ClickHouse's variant of CityHash128 1.0.2. The input must have 33 to 143 bytes. */
export function cityHash128(bytes: Buffer): { readonly low: bigint; readonly high: bigint } {
  if (bytes.length < 33 || bytes.length > 143) throw new RangeError(`${bytes.length} bytes are hashed differently`)
  const rest = bytes.subarray(16)
  let a = bytes.readBigUInt64LE(0) ^ k3
  let b = bytes.readBigUInt64LE(8)
  let c = hash16(plus(rest.readBigUInt64LE(rest.length - 8), k1), a)
  let d = hash16(plus(b, BigInt(rest.length)), plus(c, rest.readBigUInt64LE(rest.length - 16)))
  a = plus(a, d)
  for (let at = 0; at < rest.length - 16; at += 16) {
    a = times(a ^ times(shiftMix(times(rest.readBigUInt64LE(at), k1)), k1), k1)
    b ^= a
    c = times(c ^ times(shiftMix(times(rest.readBigUInt64LE(at + 8), k1)), k1), k1)
    d ^= c
  }
  a = hash16(a, c)
  b = hash16(d, b)
  return { low: a ^ b, high: hash16(b, a) }
}

const checksumBytes = 16
const headerBytes = 9
const methods = { none: 0x02, lz4: 0x82 }
/** Maximum number of content bytes in a frame. A frame with more content can exceed the 143 bytes that `cityHash128` accepts. */
const frameBytes = 100

function frameOf(bytes: Buffer): Buffer {
  const frame = Buffer.alloc(checksumBytes + headerBytes + bytes.length)
  frame[checksumBytes] = methods.none
  frame.writeUInt32LE(headerBytes + bytes.length, checksumBytes + 1)
  frame.writeUInt32LE(bytes.length, checksumBytes + 5)
  bytes.copy(frame, checksumBytes + headerBytes)
  const { low, high } = cityHash128(frame.subarray(checksumBytes))
  frame.writeBigUInt64LE(low, 0)
  frame.writeBigUInt64LE(high, 8)
  return frame
}

/**
 * Splits the bytes into frames with the method `none`, which means no compression. `bytes` must have at least 24 bytes, because
 * `cityHash128` needs at least 33 bytes, of which the header has 9.
 */
export function framesOf(bytes: Buffer): Buffer {
  const each = Math.ceil(bytes.length / Math.ceil(bytes.length / frameBytes))
  const frames: Buffer[] = []
  for (let at = 0; at < bytes.length; at += each) frames.push(frameOf(bytes.subarray(at, at + each)))
  return Buffer.concat(frames)
}

export const blockHeadBytes = 64

/**
 * Reads the number of rows of a Native block that was written without a protocol revision. `head` is the beginning of the body of an
 * INSERT. The first bytes of a block have no repetitions. LZ4 compresses only repetitions, so these bytes can be read without
 * decompression.
 */
export function rowsOfBlock(head: Buffer, compressed: boolean): number {
  if (compressed && head[checksumBytes] !== methods.lz4) throw new Error(`A frame has method ${head[checksumBytes]}, not LZ4.`)
  const token = checksumBytes + headerBytes
  if (compressed && head[token]! >> 4 < 6) throw new Error('An LZ4 frame begins with fewer than 6 literal bytes.')
  // LZ4 stores the number of literal bytes in four bits. If the value of these bits is 15, the following bytes contain the rest of the
  // number.
  let at = compressed ? token + 1 : 0
  if (compressed && head[token]! >> 4 === 15) while (head[at++] === 255);
  const varint = () => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = head[at++]!
      value |= (byte & 127) << shift
      if (byte < 128) return value
    }
  }
  varint()
  return varint()
}
