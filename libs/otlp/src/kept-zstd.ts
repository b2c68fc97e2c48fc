// zstd engines that are kept from body to body: making one for each takes as long as decoding a staged record of 30 KB (82 µs for both, 45
// with a kept one), and twice as long as encoding one of 8 KB (44 and 18). Node offers none: its synchronous calls close what they make. So
// this drives the engine below Node's stream, as pngjs does that of zlib; where there is none, or it does not take a body whole, the caller
// works in the ordinary way.
import zlib from 'node:zlib'

type Params = Readonly<Record<number, number>>

interface Engine {
  /** Null once it has failed. */
  readonly _handle: {
    writeSync(flush: number, body: Uint8Array, at: number, bytes: number, room: Uint8Array, roomAt: number, roomBytes: number): void
  } | null
  /** After a write: bytes left of the room, and of the body. */
  readonly _writeState: Uint32Array
}

const { ZSTD_e_end, Z_MIN_CHUNK } = zlib.constants

/** Of which the engine's arguments are known: native code ends the process where they are others. */
const isKnownNode = process.versions.node.startsWith('24.')

/** What one engine does to whole bodies, one at a time. */
function createKept(make: () => zlib.ZstdCompress | zlib.ZstdDecompress) {
  function open(): Engine {
    const stream = make()
    // Whoever works in the ordinary way then finds the same, and says so.
    stream.on('error', () => {})
    return stream as unknown as Engine
  }

  let engine: Engine | undefined = open()
  return {
    isSupported: isKnownNode && typeof engine._handle?.writeSync === 'function' && engine._writeState instanceof Uint32Array,
    /** Bytes written to `room`; undefined says nothing about the body. */
    run(body: Uint8Array, room: Uint8Array): number | undefined {
      const { _handle, _writeState } = (engine ??= open())
      // A write that fails leaves it as it was.
      _writeState.fill(0)
      _handle!.writeSync(ZSTD_e_end, body, 0, body.length, room, 0, room.length)
      const [roomLeft, bodyLeft] = _writeState
      // No objection at the end of the body, and room left: the frame is over, and the engine waits for the next one.
      if (roomLeft! > 0 && bodyLeft === 0) return room.length - roomLeft!
      engine = undefined
      return undefined
    },
  }
}

export interface KeptZstd {
  /** False: this Node has no engine that can be kept. */
  readonly isSupported: boolean
  /** The body where it is one frame of less bytes than the room has, at the room's beginning; undefined says nothing about it. */
  inflate(body: Uint8Array, room: Uint8Array): Uint8Array | undefined
}

export function createKeptZstd(params: Params): KeptZstd {
  const kept = createKept(() => zlib.createZstdDecompress({ params, chunkSize: Z_MIN_CHUNK }))
  return {
    isSupported: kept.isSupported,
    inflate(body, room) {
      // No bytes are no frame, but an engine that waits for one does not object to them.
      if (!kept.isSupported || body.length === 0) return undefined
      const bytes = kept.run(body, room)
      return bytes === undefined ? undefined : room.subarray(0, bytes)
    },
  }
}

export interface KeptZstdEncoder {
  readonly isSupported: boolean
  /** The body as one frame, which is gone with the next call; undefined above a megabyte, and where there is no such engine. */
  deflate(body: Uint8Array): Uint8Array | undefined
}

/** Above it an engine of one's own is no dearer, and the room for it would be held for rare bodies. */
const maxKeptBytes = 1024 * 1024
/** ZSTD_COMPRESSBOUND of the largest body, and a byte that says that there was room. */
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
