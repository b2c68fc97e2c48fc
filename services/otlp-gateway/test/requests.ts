import { encodeTraceRequest, type Span } from '@svc-server/testkit'

export const traceId = '0af7651916cd43dd8448eb211c80319c'

let spans = 0

export const span = (overrides: Partial<Span> = {}): Span => ({
  traceId,
  spanId: (++spans).toString(16).padStart(16, 'a'),
  name: 'chat',
  startTimeUnixNano: BigInt(Date.now()) * 1_000_000n,
  endTimeUnixNano: BigInt(Date.now() + 5) * 1_000_000n,
  ...overrides,
})

export const requestOf = (...all: readonly Span[]): Uint8Array =>
  encodeTraceRequest({ resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: 'test' }, spans: all }] }] })

/** Makes text that gzip and zstd shorten by at most a quarter. */
export function incompressible(bytes: number): string {
  let state = 0x2545f491
  const out = Buffer.alloc(bytes)
  for (let i = 0; i < bytes; i++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    out[i] = 48 + ((state >>> 0) % 75)
  }
  return out.toString('latin1')
}

export const bigSpan = (bytes: number, overrides: Partial<Span> = {}): Span =>
  span({ attributes: [{ key: 'input', value: { stringValue: incompressible(bytes) } }], ...overrides })

export function readStatus({
  headers,
  body,
}: {
  readonly headers: { readonly 'content-type'?: string | undefined }
  readonly body: Buffer
}) {
  if (headers['content-type']?.startsWith('application/json')) return JSON.parse(body.toString()) as { code: number; message: string }
  let code = 0
  let message = ''
  for (let at = 0; at < body.length; ) {
    const tag = body[at++]!
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = body[at++]!
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    if ((tag & 7) === 0) code = value
    else {
      if (tag >> 3 === 2) message = body.toString('utf8', at, at + value)
      at += value
    }
  }
  return { code, message }
}
