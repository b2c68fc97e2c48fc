// Prevents one defective record from stopping all other records. If encoding fails, the encoder splits the records into halves until it has
// found every defective record, and rejects the defective records. If there are more defective records than the dead-letter limit allows,
// the partition halts, because the release itself is probably defective.
import { isAppError } from '@svc-server/errors'
import type { Logger } from '@svc-server/service/logs'
import type { RejectedRow } from '../destinations/row-encoder.ts'
import { projectOfRecord } from '../records.ts'
import type { EncodeJob, EncoderHost } from './host.ts'
import type { ChunkRecord } from './messages.ts'

type Encoder = Pick<EncoderHost, 'encode'>

/**
 * If the encoder throws or its thread dies on a record, the whole record is rejected. A job encodes the whole chunk or only selected rows.
 * After a job for the whole chunk, the encoder remembers these rejected records, separately for each partition and table. Later jobs for
 * selected rows of the chunk leave these records out.
 */
export function createIsolatingEncoder<E extends Encoder>(encoder: E, logger: Logger): E {
  const rejectedBefore = new Map<string, readonly RejectedRow[]>()

  async function failures(job: EncodeJob, records: readonly ChunkRecord[]): Promise<RejectedRow[]> {
    try {
      if (records.length > 0) await encoder.encode({ ...job, records })
      return []
    } catch (error) {
      if (isAppError(error)) throw error
      const [record] = records
      if (records.length === 1) return [rejectionOf(job.topic, record!, error)]
      const middle = records.length >> 1
      return [...(await failures(job, records.slice(0, middle))), ...(await failures(job, records.slice(middle)))]
    }
  }

  return {
    ...encoder,
    async encode(job) {
      const key = `${job.table}/${job.topic}/${job.partition}`
      const known = job.only === undefined ? [] : (rejectedBefore.get(key) ?? [])
      const records = without(job.records, known)
      let found: readonly RejectedRow[] = []
      try {
        const encoded = await encoder.encode({ ...job, records })
        if (job.only === undefined) rejectedBefore.delete(key)
        return encoded
      } catch (error) {
        if (isAppError(error) || job.only !== undefined) throw error
        const { table, topic, partition } = job
        logger.error(
          { err: error, table, topic, partition, records: records.length },
          'Encoding failed because of a defect; looking for the records that cause it',
        )
        found = await failures(job, records)
      }
      const encoded = await encoder.encode({ ...job, records: without(records, found) })
      rejectedBefore.set(key, found)
      return { ...encoded, rejected: [...encoded.rejected, ...found] }
    },
  }
}

const without = (records: readonly ChunkRecord[], rejected: readonly RejectedRow[]): readonly ChunkRecord[] => {
  const offsets = new Set(rejected.map(({ offset }) => offset))
  return offsets.size === 0 ? records : records.filter(({ offset }) => !offsets.has(offset))
}

function rejectionOf(topic: string, { offset, value }: ChunkRecord, error: unknown): RejectedRow {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return { offset, index: null, reason: 'exception', message, raw: value, projectId: projectOfRecord(topic, value) }
}
