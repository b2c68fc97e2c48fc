// The thread that reads spans for what they say about their traces: all that a batch of records says about one trace becomes one part of it. Stateless.
import { parentPort, workerData } from 'node:worker_threads'
import { recordOf } from '@svc-server/entities/codec'
import { createSpanParts } from '@svc-server/entities/spans'
import { type EntityState, joinStates } from '@svc-server/entities/state'
import { isServed } from '@svc-server/modes/flows'
import { groupNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { encodeEntity, isEntity } from '@svc-server/schema/entity'
import { entityKey } from '@svc-server/schema/ingestion-event'
import { decodeSpanBatch } from '@svc-server/schema/span-batch'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import { unpackValues } from '../../reading/messages.ts'
import type { PartsReaderData, ReadParts, SpanRecords } from './messages.ts'

const { writeMode, maxRecordBytes, ...limits } = workerData as PartsReaderData
const parts = createSpanParts({ maxDecodedBytes: maxRecordBytes, ...limits })

interface Part {
  readonly projectId: string
  readonly traceId: string
  state: EntityState
  writeMode: WriteMode
}

const topicOf = (provenance: string) => provenance.slice(0, provenance.indexOf('/'))

/** Null: the record cannot be read, which is the writer's to say. */
function modeOf(value: Uint8Array): { readonly projectId: string; readonly mode: WriteMode } | null {
  try {
    const batch = decodeSpanBatch(value)
    return { projectId: batch.projectId, mode: batch.writeMode ?? writeMode }
  } catch (error) {
    if (error instanceof UndecodableRecord) return null
    throw error
  }
}

function read(packed: SpanRecords): ReadParts {
  const byTrace = new Map<string, Part>()
  let spans = 0
  let unreadable = 0
  for (const [at, value] of unpackValues(packed).entries()) {
    // What was staged here is no span.
    if (isEntity(value)) continue
    const stamp = modeOf(value)
    const provenance = packed.provenances[at]!
    // Accepted for the events tables alone: no old table has a row of its trace.
    if (stamp !== null && !isServed(topicOf(provenance), groupNames.merger, stamp.mode)) continue
    const { traces, reading } = parts.read(value, provenance)
    if (!reading.ok || stamp === null) {
      unreadable++
      continue
    }
    const { projectId, mode } = stamp
    spans += reading.spans
    for (const [traceId, state] of traces) {
      const key = entityKey({ projectId, entityType: 'trace', entityId: traceId })
      const part = byTrace.get(key)
      if (part === undefined) byTrace.set(key, { projectId, traceId, state, writeMode: mode })
      else {
        part.state = joinStates(part.state, state)
        if (mode === 'dual') part.writeMode = mode
      }
    }
  }
  const values = [...byTrace.values()].map(
    ({ projectId, traceId, state, writeMode: mode }) =>
      // A buffer of its own, so that it can be handed over.
      new Uint8Array(
        encodeEntity(recordOf({ projectId, entityType: 'trace', entityId: traceId }, mode, { state, versionMs: 0, retired: [] })),
      ),
  )
  return { keys: [...byTrace.keys()], values, spans, unreadable, buffer: packed.buffer }
}

parentPort!.on('message', (packed: SpanRecords) => {
  const answer = read(packed)
  parentPort!.postMessage(answer, [packed.buffer, ...answer.values.map(({ buffer }) => buffer)])
})
