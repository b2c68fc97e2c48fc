// Applies the changelog of entities to the state of a partition. The state keeps an entity's newest record for the topic's retention time.
import { AppError } from '@svc-server/errors'
import type { LogRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import type { Fold, Target } from '@svc-server/owner/changelog'
import type { Operation } from '@svc-server/owner/store'
import { createYields } from '@svc-server/owner/yields'
import { decodeEntity, isEntity } from '@svc-server/schema/entity'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import { createEntityTable, type EntityNumbers, type EntityTable, encodeStored, entityId, entityKeys } from './entity-table.ts'

const topic = topicNames.entities
/** Maximum number of records in one transaction. */
const maxRecords = 1024
/**
 * Maximum number of entities that expire in one transaction. At most `maxRecords` entities arrive in one transaction, so entities can
 * expire at least as fast as they arrive.
 */
const maxExpired = 2 * maxRecords

export function createEntityFold(retentionMs: number): Fold<EntityTable, EntityNumbers> {
  async function commit(
    { table, write }: Target<EntityTable, EntityNumbers>,
    numbers: EntityNumbers,
    records: readonly LogRecord[],
    offset: number,
  ): Promise<EntityNumbers> {
    const operations = new Map<string, Operation>()
    const put = (key: Buffer, value?: Buffer) => operations.set(key.toString('latin1'), value === undefined ? { key } : { key, value })
    /** For each entity, the time of its last write in this transaction. Until the commit, the table does not contain these times. */
    const times = new Map<string, number | null>()
    let newestMs = numbers.newestMs
    const yields = createYields()
    for (const { key, value, timestampMs } of records) {
      if (yields.isDue()) await yields.take()
      newestMs = Math.max(newestMs, timestampMs)
      const id = entityId(key!)
      const name = id.toString('latin1')
      const before = times.has(name) ? times.get(name)! : table.timeOf(id)
      if (before !== null) put(entityKeys.age({ timestampMs: before, id }))
      times.set(name, value === null ? null : timestampMs)
      put(entityKeys.entity(id), value === null ? undefined : encodeStored({ timestampMs, record: value }))
      if (value !== null) put(entityKeys.age({ timestampMs, id }), Buffer.alloc(0))
    }
    for (const old of table.olderThan(newestMs - retentionMs, maxExpired)) {
      put(entityKeys.age(old))
      if (!times.has(old.id.toString('latin1'))) put(entityKeys.entity(old.id))
    }
    const next = { ...numbers, offset, newestMs }
    await write({ clear: false, operations: [...operations.values()], numbers: next })
    return next
  }

  return {
    topic,
    name: 'The state of entities',
    readBytes: 4 * 1024 * 1024,
    createTable: createEntityTable,
    numbersOf: table => table.numbers(),
    emptyNumbers: (logId, offset) => ({ logId, offset, newestMs: 0 }),

    async apply(to, from, { records, nextOffset }, progress) {
      let numbers = from
      for (let at = 0; at < records.length; at += maxRecords) {
        const run = records.slice(at, at + maxRecords)
        const known = run.filter(record => isKnown(record) || void progress.skip(record.offset))
        numbers = await commit(to, numbers, known, records[at + maxRecords]?.offset ?? nextOffset)
        progress.applied += run.length
      }
      return nextOffset > numbers.offset ? commit(to, numbers, [], nextOffset) : numbers
    },

    isApplied: (table, _, { key, value }) => key === null || value === null || table.get(entityId(key))?.record.equals(value) === true,
  }
}

/**
 * Returns false if the record is not an entity. Throws if a newer release wrote the record, because an older release must not overwrite
 * such a record.
 */
function isKnown({ partition, offset, key, value }: LogRecord): boolean {
  if (key === null) return false
  if (value === null || isEntity(value)) return true
  try {
    decodeEntity(value)
    return true
  } catch (error) {
    if (!(error instanceof UndecodableRecord)) throw error
    if (error.reason !== 'unknown_fingerprint') return false
  }
  const where = `${topic}/${partition}/${offset}`
  throw new AppError('record_undecodable', `${where} was written by a newer version: run that version, or a later version.`, {
    topic,
    partition,
    offset,
  })
}
