// Encodes records into one block for a destination.
import type { DenyList } from '@svc-server/deletions/deny-list'
import { isAppError } from '@svc-server/errors'
import type { EventLog, LogRecord } from '@svc-server/log'
import type { Metrics } from '@svc-server/service/metrics'
import type { Rejection } from '@svc-server/stream/chunk'
import type { Delivery } from '../deliveries.ts'
import type { DestinationsOf } from '../destinations/destination.ts'
import type { RawItem, RejectedRow, RowPlace, RowSelection } from '../destinations/row-encoder.ts'
import type { EncodeJob, EncoderHost } from '../encode/host.ts'
import type { DenialsUse, EncodedBlock } from '../encode/messages.ts'
import type { Encoded } from '../encoded.ts'
import { recordsBefore } from '../insert/records-before.ts'
import type { writerMetrics } from '../metrics.ts'
import { isForLater, opened } from '../records.ts'

export interface EncodeDeps {
  readonly log: Pick<EventLog, 'read'>
  readonly destinationsOf: DestinationsOf
  readonly encoder: EncoderHost
  readonly denyList: Pick<DenyList, 'shared'>
  readonly metrics: Metrics<typeof writerMetrics>
}

export function createEncodeStage({ log, destinationsOf, encoder, denyList, metrics }: EncodeDeps) {
  function isFor({ destination }: Delivery, { topic, value, timestampMs }: LogRecord): boolean {
    const record = value === null || isForLater(topic, value) ? null : opened(topic, value, timestampMs)
    return record !== null && destinationsOf(topic, record.writeMode).includes(destination)
  }

  async function placesOf(job: EncodeJob): Promise<readonly RowPlace[]> {
    try {
      return await encoder.places(job)
    } catch (error) {
      if (isAppError(error)) throw error
      return []
    }
  }

  return async function encode(of: Delivery): Promise<Encoded> {
    const { chunk } = of

    async function measured(job: EncodeJob): Promise<EncodedBlock> {
      const startedAt = performance.now()
      const encoded = await encoder.encode(job)
      metrics.encodeSeconds.observe((performance.now() - startedAt) / 1000)
      return encoded
    }

    const { shared } = denyList
    const block = chunk.items.length > 0 ? await measured(jobOf(of, shared && { shared })) : null
    const rejected = block?.rejected ?? []
    const matched = block?.matched ?? []
    const delivery = of.denying(matched)
    // The same deletions must apply to all pieces of a chunk. Deletions that arrive after the chunk is encoded apply only to later chunks.
    const denials = matched.length === 0 ? undefined : { list: matched }
    return {
      delivery,
      block,
      rejected: [...chunk.rejected, ...rejected.map(toRejection)],
      kept: 0,
      places: () => encoder.places(jobOf(delivery, denials, undefined, rejected)),
      async placesBefore() {
        const places: RowPlace[] = []
        const job = jobOf(delivery, denials)
        for (const record of await recordsBefore(log, chunk)) {
          const { offset, timestampMs, value } = record
          if (!isFor(delivery, record)) continue
          for (const place of await placesOf({ ...job, records: [{ offset, timestampMs, value: value! }] })) places.push(place)
        }
        return places
      },
      only: rows => measured(jobOf(delivery, denials, rows, rejected)),
      refused: async rows =>
        (await encoder.raws(jobOf(delivery, denials, rows, rejected))).map(item => toRefusal(delivery.destination.table, item)),
    }
  }
}

/**
 * Returns a job for the whole chunk, or for the records of the selected rows. The job leaves out the records that could not be encoded.
 * `without` lists these records with the index null.
 */
function jobOf(
  { chunk, destination, catalog }: Delivery,
  denials?: DenialsUse,
  only?: RowSelection,
  without: readonly RejectedRow[] = [],
): EncodeJob {
  const { topic, partition, items } = chunk
  const bad = new Set(without.filter(({ index }) => index === null).map(({ offset }) => offset))
  const wanted = items.filter(({ position: { offset } }) => !bad.has(offset) && (only === undefined || only.has(offset)))
  const records = wanted.map(({ position, raw }) => ({ offset: position.offset, timestampMs: position.timestampMs, value: raw }))
  const optional = { ...(only ? { only } : {}), ...(denials ? { denials } : {}), ...(catalog ? { catalog } : {}) }
  return { table: destination.table, topic, partition, records, ...optional }
}

const toRefusal = (table: string, { offset, index, projectId, raw }: RawItem): Rejection => ({
  offset,
  index,
  stage: 'store',
  reason: 'store_refused',
  message: `The column store accepted the other rows of the chunk into ${table} and refused only this row.`,
  owner: projectId,
  raw,
})

const toRejection = ({ offset, index, reason, message, raw, projectId }: RejectedRow): Rejection => ({
  offset,
  index,
  stage: 'encode',
  reason,
  message,
  owner: projectId,
  raw,
})
