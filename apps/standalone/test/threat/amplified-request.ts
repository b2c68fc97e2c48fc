// Creates requests that are small but become large rows. The sizes of the resource and of the scope can be chosen. This file encodes the
// requests itself, because an encoder of a client library would take seconds.
import { randomBytes } from 'node:crypto'

export interface Shape {
  readonly resourceBytes: number
  readonly scopeBytes: number
  /** Form of the resource's content. With the form `escaped`, JSON needs six characters for each character of the content. */
  readonly form: 'text' | 'attributes' | 'nested' | 'escaped'
  readonly spans: number
  readonly spanBytes: number
  readonly spansPerTrace: number
  /** The first of every `badEvery` spans has no trace id. If `badEvery` is 0, every span has a trace id. */
  readonly badEvery: number
}

const varint = (value: number): Buffer => {
  const bytes: number[] = []
  for (; value > 0x7f; value = Math.floor(value / 128)) bytes.push((value & 0x7f) | 0x80)
  return Buffer.from([...bytes, value])
}
const field = (number: number, ...content: readonly Uint8Array[]): Buffer => {
  const length = content.reduce((sum, { length }) => sum + length, 0)
  return Buffer.concat([varint(number * 8 + 2), varint(length), ...content])
}
const text = (bytes: number) => field(1, Buffer.alloc(bytes, 'spans '))
const attribute = (key: string, value: Uint8Array) => Buffer.concat([field(1, Buffer.from(key)), field(2, value)])

function* attributesOf(bytes: number, form: Shape['form']): Generator<Buffer> {
  if (form === 'text') yield attribute('large', text(bytes))
  else if (form === 'escaped') yield attribute('escaped', field(5, field(1, field(1, Buffer.alloc(bytes, 1)))))
  else if (form === 'attributes') {
    for (let at = 0, i = 0; at < bytes; i++) {
      const each = attribute(`key.${i}`, text(20))
      at += each.length
      yield each
    }
  } else {
    let value: Buffer = text(Math.max(0, bytes - 600))
    for (let depth = 0; depth < 90; depth++) value = field(5, field(1, value))
    yield attribute('nested', value)
  }
}

const time = (number: number): Buffer => {
  const bytes = Buffer.alloc(9)
  bytes[0] = number * 8 + 1
  bytes.writeBigUInt64LE(BigInt(Date.now()) * 1_000_000n, 1)
  return bytes
}

/** Returns an ExportTraceServiceRequest. The ids of its spans are unique, so that a test can count the rows. */
export function amplifiedRequest(shape: Shape): Buffer {
  const { resourceBytes, scopeBytes, form, spans, spanBytes, spansPerTrace, badEvery } = shape
  const ids = randomBytes(24 * spans)
  const start = time(7)
  const end = time(8)
  const own = spanBytes > 0 ? field(9, attribute('input', text(spanBytes))) : Buffer.alloc(0)
  const all: Buffer[] = []
  for (let i = 0; i < spans; i++) {
    const trace = i - (i % spansPerTrace)
    const traceId = badEvery > 0 && i % badEvery === 0 ? Buffer.alloc(0) : ids.subarray(trace * 24, trace * 24 + 16)
    all.push(field(2, field(1, traceId), field(2, ids.subarray(i * 24 + 16, i * 24 + 24)), field(5, Buffer.from('s')), start, end, own))
  }
  const resource = field(1, Buffer.concat([...attributesOf(resourceBytes, form)].map(each => field(1, each))))
  const scope = field(1, field(1, Buffer.from('scope')), field(3, attribute('large', text(scopeBytes))))
  return field(1, resource, field(2, scope, Buffer.concat(all)))
}

export const soundSpans = ({ spans, badEvery }: Shape): number => spans - (badEvery > 0 ? Math.ceil(spans / badEvery) : 0)
