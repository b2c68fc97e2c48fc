// The reading thread decompresses records and reads the trace attributes of every staged span. The thread keeps no state between records.
import { workerData } from 'node:worker_threads'
import { candidatesOfEntity } from '@svc-server/entities/candidates'
import { entityOfRecord } from '@svc-server/entities/codec'
import { linkOfEntity } from '@svc-server/entities/link'
import { serveJobs } from '@svc-server/fairness/pool-thread'
import { createTraceReader } from '@svc-server/observations/trace'
import { noCandidates } from '@svc-server/observations/trace/join'
import { createLinkReader } from '@svc-server/observations/trace/link-reader'
import { type PackedValues, unpackValues } from '@svc-server/owner/packed-values'
import { decodeEntity, isEntity } from '@svc-server/schema/entity'
import { decodeStagedRunItem, isStagedRunItem, maxRunItemRootBytes } from '@svc-server/schema/staged-run-item'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import { flattenLinks, flattenReadings, type Question, type ReaderData, type RecordReading, type SpanLink } from './messages.ts'

const { maxRecordBytes, maxRowBytes, maxWork, brandAliases } = workerData as ReaderData
const limits = { maxDecodedBytes: maxRecordBytes, maxRowBytes, maxWork, brandAliases }
const reader = createTraceReader(limits)
const linkReader = createLinkReader(limits)

const readEntity = (value: Uint8Array): RecordReading => ({
  ok: true,
  spans: 1,
  candidates: candidatesOfEntity(entityOfRecord(decodeEntity(value))),
  cut: 0,
})

function unlessUndecodable(reading: () => RecordReading): RecordReading {
  try {
    return reading()
  } catch (error) {
    if (!(error instanceof UndecodableRecord)) throw error
    return { ok: false, reason: 'record_undecodable', message: error.message, projectId: null }
  }
}

/** The record of a run item contains no spans. The propagator adds the item's fields to spans of the item's trace. */
function readItem(value: Uint8Array): RecordReading {
  const { id, rootId, createdAtMs, cut } = decodeStagedRunItem(value)
  const isNone = rootId !== null && Buffer.byteLength(rootId) > maxRunItemRootBytes
  return {
    ok: true,
    spans: 0,
    candidates: noCandidates,
    cut: cut + Number(isNone),
    item: isNone ? null : { id, rootId, createdAtMs },
  }
}

function read(value: Uint8Array): RecordReading {
  if (isEntity(value)) return unlessUndecodable(() => readEntity(value))
  if (isStagedRunItem(value)) return unlessUndecodable(() => readItem(value))
  const reading = reader.read(value)
  return reading.ok ? { ok: true, spans: reading.spans, candidates: reading.candidates, cut: reading.cut } : reading
}

function linksOf(value: Uint8Array): readonly SpanLink[] {
  if (!isEntity(value)) return linkReader.read(value)
  try {
    return [linkOfEntity(entityOfRecord(decodeEntity(value)))]
  } catch (error) {
    if (!(error instanceof UndecodableRecord)) throw error
    return []
  }
}

serveJobs(({ question, packed }: { readonly question: Question; readonly packed: PackedValues }, port) => {
  const values = unpackValues(packed)
  port.postMessage(question === 'trace' ? flattenReadings(values.map(read)) : flattenLinks(values.map(linksOf)))
})
