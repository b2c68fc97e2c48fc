// What one project sends changes nothing of another's rows, nor a block that is made again: the runtime's own JSON.parse remembers keys (ADR 0038).
import { encodeTraceRequest } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { batchOf, recordOf, requestOf } from './mapped-rows.ts'

const encoder = createChunkEncoder()
const blockOf = (projectId: string, metadata: string) => {
  const request = requestOf({
    'svc.observation.metadata': metadata,
    'svc.observation.model.parameters': metadata,
    'svc.observation.input': metadata,
  })
  return encoder.encode([recordOf(batchOf(encodeTraceRequest(request), { projectId }))])
}

test.for([
  ['{"z":1,"\\t":2}', '{"z":1,"\\\\":0}'],
  ['{"z":1,"\\u4f60\\u597d":2}', '{"z":1,"\\\\u":0}'],
  ['{"temperature":1,"na\\u006de":2}', '{"temperature":1,"na\\\\u":0}'],
  ['{"z":1.50,"\\"":2}', '{"z":1,"\\\\":0}'],
] as const)('%s becomes the same block, whatever others have sent', ([mine, others]) => {
  const before = blockOf('mine', mine)
  for (let times = 0; times < 3; times++) blockOf('another', others)
  const after = blockOf('mine', mine)
  expect(after.hash).toBe(before.hash)
  expect(Buffer.concat(after.body)).toEqual(Buffer.concat(before.body))
})
