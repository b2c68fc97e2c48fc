// This thread reads trace attributes from spans. It makes one part for each trace of a batch, and keeps no state.
import { workerData } from 'node:worker_threads'
import { recordOf } from '@svc-server/entities/codec'
import { createJoining, type Joining } from '@svc-server/entities/joining'
import { piecesOf } from '@svc-server/entities/pieces'
import { createSpanParts } from '@svc-server/entities/spans'
import type { EntityState } from '@svc-server/entities/state'
import { serveJobs } from '@svc-server/fairness/pool-thread'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { unpackValues } from '@svc-server/owner/packed-values'
import { encodeEntity } from '@svc-server/schema/entity'
import { entityKey } from '@svc-server/schema/ingestion-event'
import type { PartsReaderData, ReadParts, SpanRecords } from './messages.ts'

const { maxPartBytes, maxRecordBytes, ...limits } = workerData as PartsReaderData
const parts = createSpanParts({ maxDecodedBytes: maxRecordBytes, ...limits })
/**
 * A part above `maxPartBytes` is divided into pieces of at most `pieceBytes`. Only a piece with a single value can be larger. If an entity
 * has no space for all pieces of a part, the merger can still add some of the pieces to the entity.
 */
const pieceBytes = maxPartBytes / 8

interface Part {
  readonly projectId: string
  readonly traceId: string
  readonly said: Joining
  writeMode: WriteMode
}

const encoded = ({ projectId, traceId, writeMode }: Part, state: EntityState): Buffer =>
  encodeEntity(recordOf({ projectId, entityType: 'trace', entityId: traceId }, writeMode, { state, versionMs: 0, retired: [] }))

function read(packed: SpanRecords): ReadParts {
  const byTrace = new Map<string, Part>()
  let spans = 0
  let unreadable = 0
  for (const [at, value] of unpackValues(packed).entries()) {
    const { traces, reading } = parts.read(value, packed.provenances[at]!)
    if (!reading.ok) {
      unreadable++
      continue
    }
    const { projectId } = reading.batch
    const writeMode = packed.modes[at]!
    spans += reading.spans
    for (const [traceId, state] of traces) {
      const key = entityKey({ projectId, entityType: 'trace', entityId: traceId })
      let part = byTrace.get(key)
      if (part === undefined) byTrace.set(key, (part = { projectId, traceId, said: createJoining(), writeMode }))
      part.said.add(state)
      if (writeMode === 'dual') part.writeMode = writeMode
    }
  }
  const keys: string[] = []
  const values: Uint8Array<ArrayBuffer>[] = []
  let cut = 0
  function put(key: string, value: Buffer): void {
    keys.push(key)
    // The value is copied, because only a separate buffer can be transferred to the other thread.
    values.push(new Uint8Array(value))
  }
  for (const [key, part] of byTrace) {
    const state = part.said.joined()
    const whole = encoded(part, state)
    if (whole.byteLength <= maxPartBytes) {
      put(key, whole)
      continue
    }
    const cutUp = piecesOf(state, { pieceBytes, maxBytes: maxPartBytes - pieceBytes })
    cut += cutUp.cut
    for (const piece of cutUp.pieces) put(key, encoded(part, piece))
  }
  return { keys, values, spans, unreadable, cut }
}

serveJobs((packed: SpanRecords, port) => {
  const answer = read(packed)
  port.postMessage(
    answer,
    answer.values.map(({ buffer }) => buffer),
  )
})
