// A process must create the same block from a chunk, regardless of the chunks that it encoded before.
import { encodeTraceRequest, type KeyValue } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { createChunkEncoder } from '../../src/block/chunk-encoder.ts'
import { aSpan, batchOf, recordOf } from '../mapped-rows.ts'

const recordWith = (attributes: readonly KeyValue[]) =>
  recordOf(
    batchOf(
      encodeTraceRequest({
        resourceSpans: [
          {
            resource: { attributes: [] },
            scopeSpans: [{ scope: { name: 'x', version: '1' }, spans: [aSpan({ attributes, events: [] })] }],
          },
        ],
      }),
      { sdkName: 'python', sdkVersion: '4.0.0' },
    ),
  )
const outputOf = (text: string): KeyValue => ({ key: 'svc.observation.output', value: { arrayValue: { values: [{ stringValue: text }] } } })

test('a short output is not compared with bytes of a longer one that remain in the buffer', () => {
  const encoder = createChunkEncoder()
  // The list becomes `["0123456789zz"]`. In this text, `zz` begins at byte 12 (counted from 0), where `isWhole` in untaken.ts looks for it.
  encoder.encode([recordWith([outputOf('0123456789zz')])])
  const short = recordWith([outputOf('[]'), { key: 'gen_ai.tool.call.result', value: { stringValue: 'zz' } }])
  expect(encoder.encode([short]).hash).toBe(createChunkEncoder().encode([short]).hash)
})
