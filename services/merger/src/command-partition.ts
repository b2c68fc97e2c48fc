// Owns one partition of commands. It forwards a deletion to the owners of all entity partitions. It forwards a flag of a trace to the owner
// of this trace. One transaction contains the forwarded records and the commit of the partition's offset.
import { commandIn, deniedBy } from '@svc-server/deletions/read-denials'
import { flagPart } from '@svc-server/entities/flag'
import type { AssignedPartition, BatchOutcome, EventLog, LogRecord, NewRecord, OwnedPartition } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { encodeEntity } from '@svc-server/schema/entity'
import { entityKey } from '@svc-server/schema/ingestion-event'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import { refuseOlder } from './standing.ts'

export interface CommandPartitionDeps {
  readonly log: Pick<EventLog, 'read'>
  /** Number of partitions of `trace.parts`. */
  readonly owners: number
  readonly config: {
    /** This process's write mode, which applies to commands without a write mode. */
    readonly writeMode: WriteMode
    readonly readBytes: number
  }
  readonly onProgress: (at: OwnedPartition) => void
}

export interface CommandPartition {
  work(owned: OwnedPartition): Promise<BatchOutcome>
}

/** Maximum commands of one transaction. */
const maxCommands = 1_000

export function createCommandPartition(
  { log, owners, config, onProgress }: CommandPartitionDeps,
  { topic, partition, lowWatermark, committed: assigned }: AssignedPartition,
): CommandPartition {
  let committed = assigned?.offset

  function partsOf(record: LogRecord): readonly NewRecord[] {
    try {
      const command = commandIn(record)
      if (command === null) return []
      const { key, value } = record
      // A deletion goes to all partitions, because the observations of a trace can be in any partition.
      if (deniedBy(command) !== null) return Array.from({ length: owners }, (_, owner) => ({ key, value, partition: owner }))
      const part = flagPart(command, command.writeMode ?? config.writeMode)
      return part === null ? [] : [{ key: Buffer.from(entityKey(part)), value: encodeEntity(part) }]
    } catch (error) {
      // For an undecodable command, this function returns no records. It does not report the command, because the deny list also reads all
      // commands, and counts and logs the undecodable ones.
      if (error instanceof UndecodableRecord) return []
      throw error
    }
  }

  return {
    async work(owned) {
      while (!owned.signal.aborted) {
        const found = owned.committed
        refuseOlder(owned, committed, found)
        const position = found?.offset ?? lowWatermark
        const batch = await log.read(topic, partition, position, config.readBytes)
        if (batch.nextOffset <= position) return { kind: 'done' }
        const end = batch.records[maxCommands]?.offset ?? batch.nextOffset
        const parts = batch.records.slice(0, maxCommands).flatMap(partsOf)
        await owned.commitWith(end, '', new Map<string, readonly NewRecord[]>(parts.length === 0 ? [] : [[topicNames.traceParts, parts]]))
        committed = end
        onProgress(owned)
      }
      return { kind: 'pause', afterMs: 1_000 }
    },
  }
}
