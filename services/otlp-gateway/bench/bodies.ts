// Makes requests from a seed. Each request has 100 spans of 4 KB.
import { gzipSync } from 'node:zlib'
import { createSpanGenerator } from '@svc-server/testkit'

export const kinds = ['protobuf gzip', 'protobuf identity', 'json gzip', 'json identity'] as const
export type Kind = (typeof kinds)[number]

export const spansPerRequest = 100

export interface Bodies {
  readonly contentType: string
  readonly contentEncoding: string
  readonly bodies: readonly Buffer[]
  readonly decodedBytes: number
}

export function bodiesOf(kind: Kind): Bodies {
  const generator = createSpanGenerator({ seed: 'gateway', startTimeMs: Date.now(), spansPerRequest })
  const [format, contentEncoding] = kind.split(' ') as [string, string]
  const decoded = Array.from({ length: 16 }, () => {
    const request = generator.next()
    return Buffer.from(format === 'json' ? request.json : request.protobuf)
  })
  return {
    contentType: format === 'json' ? 'application/json' : 'application/x-protobuf',
    contentEncoding,
    bodies: contentEncoding === 'gzip' ? decoded.map(body => gzipSync(body)) : decoded,
    decodedBytes: decoded.reduce((sum, body) => sum + body.length, 0) / decoded.length,
  }
}
