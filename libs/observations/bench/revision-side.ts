// The child process of revision.bench.ts. The process loads the encoder from the folder in its first argument. After each message
// from the benchmark, the process encodes all records once, and answers with the CPU time that the encoding took.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { scanTraceRequest } from '@svc-server/otlp/scan'
import type { shippedModels } from '@svc-server/pricing/shipped-models'
import type { catalogSnapshot } from '@svc-server/pricing/snapshot'
import type { encodeSpanBatch } from '@svc-server/schema/span-batch'
import type { createChunkEncoder } from '../src/block/chunk-encoder.ts'

interface Revision {
  readonly scanTraceRequest: typeof scanTraceRequest
  readonly shippedModels: typeof shippedModels
  readonly catalogSnapshot?: typeof catalogSnapshot
  /** Older revisions export `catalogSnapshot` under this spelling. */
  readonly catalogueSnapshot?: typeof catalogSnapshot
  readonly encodeSpanBatch: typeof encodeSpanBatch
  readonly createChunkEncoder: typeof createChunkEncoder
}

const [root = '', file = '', at = '', warmUpMs = ''] = process.argv.slice(2)
const modules = [
  'otlp/src/scan.ts',
  'pricing/src/shipped-models.ts',
  'pricing/src/snapshot.ts',
  'schema/src/span-batch.ts',
  'observations/src/block/chunk-encoder.ts',
]
const revision = Object.assign({}, ...(await Promise.all(modules.map(path => import(join(root, 'libs', path)))))) as Revision

const receivedAtMs = Number(at)
const bodies = (JSON.parse(readFileSync(file, 'utf8')) as string[]).map(body => Buffer.from(body, 'base64'))
const records = bodies.map((protobuf, offset) => {
  const { spanCount, work } = revision.scanTraceRequest(protobuf, { receivedAtMs, maxAgeMonths: 36 })
  return {
    topic: 'spans.direct' as const,
    partition: 0,
    offset,
    timestampMs: receivedAtMs + 1000,
    value: revision.encodeSpanBatch({
      projectId: `project-${offset}`,
      apiKey: 'pk-bench',
      sdkName: 'javascript',
      sdkVersion: '5.11.1',
      ingestionVersion: 4,
      receivedAtMs,
      ingestId: `ingest-${offset}`,
      contentEncoding: 'identity',
      decodedBytes: protobuf.length,
      spanCount,
      work,
      payload: protobuf,
      traceAttributes: null,
    }),
  }
})
const snapshotOf = (revision.catalogSnapshot ?? revision.catalogueSnapshot)!
const catalog = snapshotOf({ models: revision.shippedModels(), prompts: [] })
const options = { catalog, catalogue: catalog }
const encoder = revision.createChunkEncoder(options)

const encode = () => encoder.recycle(encoder.encode(records).body)
const cpuUs = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}

for (const end = cpuUs() + Number(warmUpMs) * 1000; cpuUs() < end; ) encode()
process.on('message', () => {
  const before = cpuUs()
  encode()
  process.send?.(cpuUs() - before)
})
process.send?.(0)
