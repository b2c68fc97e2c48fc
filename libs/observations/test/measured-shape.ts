import { scanTraceRequest } from '@svc-server/otlp/scan'
import { shippedModels } from '@svc-server/pricing/shipped-models'
import { catalogSnapshot } from '@svc-server/pricing/snapshot'
import { encodeTraceRequest } from '@svc-server/testkit'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { dearShapes } from './dear-shapes.ts'
import { aSpan, batchOf, receivedAtMs, recordOf } from './mapped-rows.ts'

const maxWork = 1e9
const encoder = createChunkEncoder({ maxWork, catalog: catalogSnapshot({ models: shippedModels(), prompts: [] }) })

export interface MeasuredShape {
  readonly name: string
  readonly work: number
  /** A weighted sum of the work and the row bytes. The server charges this load to a project's share. */
  readonly load: number
  /** CPU milliseconds of a round. */
  readonly ms: number
  /** Microseconds per unit of load. */
  readonly perUnit: number
}

export function measureShape(name: string, bytes: number, rounds: number): MeasuredShape {
  const body = encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: [aSpan(dearShapes[name]!(bytes))] }] }] })
  const { work, rowBytes, countedBytes } = scanTraceRequest(body, { receivedAtMs, maxAgeMonths: 36, maxWork })
  const load = Math.round(work + rowBytes / 16 + countedBytes / 4)
  const record = recordOf(batchOf(body))
  const encode = () => encoder.recycle(encoder.encode([record]).body)
  encode()
  // A thread's CPU clock can advance in ticks of some milliseconds. The function therefore measures all rounds together.
  const before = process.threadCpuUsage()
  for (let round = 0; round < rounds; round++) encode()
  const { user, system } = process.threadCpuUsage(before)
  const ms = (user + system) / 1000 / rounds
  return { name, work, load, ms, perUnit: (ms * 1000) / load }
}
