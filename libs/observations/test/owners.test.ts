// A request in a batch of requests must give the same rows as the same request alone.
import { readNativeBlock } from '@svc-server/column-store/native'
import { attributes, encodeTraceRequest, sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { aSpan, batchOf, recordOf } from './mapped-rows.ts'

const encoder = createChunkEncoder()

const resources = [{}, { 'service.name': 'one' }, { 'service.name': 'two' }, { 'service.name': 'one', 'svc.environment': 'test' }]
const scopes = [{}, { name: 'ai', version: '1' }, { name: 'ai', version: '2' }, { name: 'svc-sdk', attributes: attributes({ a: 'b' }) }]
const broken = 'broken'

interface Part {
  readonly resource: number
  readonly scopes: readonly number[]
  readonly isBroken: boolean
}

/** In a broken request, the length prefix of an attribute's key is 127, which is more bytes than the attribute has. */
function requestOf({ resource, scopes: used, isBroken }: Part): Uint8Array {
  const values = { ...resources[resource], ...(isBroken ? { [broken]: '' } : {}) }
  const bytes = encodeTraceRequest({
    resourceSpans: [
      {
        resource: { attributes: attributes(values) },
        scopeSpans: used.map(scope => ({ scope: scopes[scope]!, spans: [aSpan({ attributes: attributes({ 'user.id': 'u' }) })] })),
      },
    ],
  })
  if (isBroken) bytes[Buffer.from(bytes).indexOf(broken) - 1] = 0x7f
  return bytes
}

function rowsOf(request: Uint8Array): unknown {
  const { body, rejected } = encoder.encode([recordOf(batchOf(request))])
  const rows = readNativeBlock(body).map(row => ({ ...row, blob_storage_file_path: '' }))
  return { rows, rejected: rejected.map(({ reason }) => reason) }
}

const part: fc.Arbitrary<Part> = fc.record({
  resource: fc.nat(resources.length - 1),
  scopes: fc.array(fc.nat(scopes.length - 1), { minLength: 1, maxLength: 3 }),
  isBroken: fc.boolean(),
})

test('each request of a batch has the rows that it has alone', () => {
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), parts => {
      const alone = parts.map(each => rowsOf(requestOf(each)) as { rows: unknown[]; rejected: unknown[] })
      expect(rowsOf(Buffer.concat(parts.map(requestOf)))).toEqual({
        rows: alone.flatMap(({ rows }) => rows),
        rejected: alone.flatMap(({ rejected }) => rejected),
      })
    }),
    { numRuns: sized(1000, 200) },
  )
})
