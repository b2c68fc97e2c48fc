// Reuses zstd engines across bodies. Creating an engine for each body takes as long as decoding a staged record of 30 KB (82 µs for both
// together, 45 µs with a reused engine). Creating an engine takes twice as long as encoding a record of 8 KB (44 µs and 18 µs). Node offers
// no reuse: its synchronous calls close their engine. This module therefore drives the engine below Node's stream, as pngjs does with zlib.
// If no such engine exists, or if it does not process the whole body, the caller uses the ordinary API.
import zlib from 'node:zlib'

type Params = Readonly<Record<number, number>>

interface Engine {
  /** Null after the stream has failed. */
  readonly _handle: {
    writeSync(flush: number, body: Uint8Array, at: number, bytes: number, room: Uint8Array, roomAt: number, roomBytes: number): void
  } | null
  /** After a write: the number of unused bytes of the output buffer, and of unread bytes of the body. */
  readonly _writeState: Uint32Array
}

const { ZSTD_e_end, Z_MIN_CHUNK } = zlib.constants

/** Node versions for which the arguments of the engine are known. For any other arguments, native code ends the process. */
const isKnownNode = process.versions.node.startsWith('24.')

/** An engine that processes whole bodies, one at a time. */
function createKept(make: () => zlib.ZstdCompress | zlib.ZstdDecompress) {
  function open(): Engine {
    const stream = make()
    // The ordinary API then reports the same error.
    stream.on('error', () => {})
    return stream as unknown as Engine
  }

  let engine: Engine | undefined = open()
  return {
    isSupported: isKnownNode && typeof engine._handle?.writeSync === 'function' && engine._writeState instanceof Uint32Array,
    /** Returns the number of bytes written to `room`, or undefined if the caller must use the ordinary API instead. */
    run(body: Uint8Array, room: Uint8Array): number | undefined {
      const { _handle, _writeState } = (engine ??= open())
      // If a write fails, the state is not changed.
      _writeState.fill(0)
      _handle!.writeSync(ZSTD_e_end, body, 0, body.length, room, 0, room.length)
      const [roomLeft, bodyLeft] = _writeState
      // The engine has read the whole body without error, and `room` has unused bytes. Therefore the frame is complete, and the engine
      // waits for the next frame.
      if (roomLeft! > 0 && bodyLeft === 0) return room.length - roomLeft!
      engine = undefined
      return undefined
    },
  }
}

export interface KeptZstd {
  /** False when this Node version has no reusable engine. */
  readonly isSupported: boolean
  /**
   * The decompressed body at the start of `room`, if the body is one frame and does not fill `room`. Undefined means that the caller must
   * use the ordinary API.
   */
  inflate(body: Uint8Array, room: Uint8Array): Uint8Array | undefined
}

export function createKeptZstd(params: Params): KeptZstd {
  const kept = createKept(() => zlib.createZstdDecompress({ params, chunkSize: Z_MIN_CHUNK }))
  return {
    isSupported: kept.isSupported,
    inflate(body, room) {
      // An empty body contains no frame, but an engine that waits for one reports no error.
      if (!kept.isSupported || body.length === 0) return undefined
      const bytes = kept.run(body, room)
      return bytes === undefined ? undefined : room.subarray(0, bytes)
    },
  }
}

export interface KeptZstdEncoder {
  readonly isSupported: boolean
  /**
   * The body as one frame, which is valid until the next call. Undefined for a body above a megabyte, or if there is no reusable engine.
   */
  deflate(body: Uint8Array): Uint8Array | undefined
}

/** For a larger body, a new engine costs little in comparison, and such a large buffer would be kept although large bodies are rare. */
const maxKeptBytes = 1024 * 1024
/** ZSTD_COMPRESSBOUND of the largest body, plus one byte that proves that space was left. */
const roomBytes = maxKeptBytes + (maxKeptBytes >> 8) + 1

export function createKeptZstdEncoder(params: Params): KeptZstdEncoder {
  const kept = createKept(() => zlib.createZstdCompress({ params, chunkSize: Z_MIN_CHUNK }))
  let room: Uint8Array | undefined
  return {
    isSupported: kept.isSupported,
    deflate(body) {
      if (!kept.isSupported || body.length > maxKeptBytes) return undefined
      room ??= new Uint8Array(roomBytes)
      const bytes = kept.run(body, room)
      return bytes === undefined ? undefined : room.subarray(0, bytes)
    },
  }
}
