// The table events_full has one row per span. A staged entity can also have rows in this table: a current row, and a tombstone for each
// earlier key. A view fills events_core from events_full.
import { eventsKeyColumns } from '@svc-server/conservation/presence/key'
import { sourcesOf } from '@svc-server/modes/flows'
import { mappingVersion } from '@svc-server/observations/block/mapping-version'
import { eventsColumns, viewSelect } from '@svc-server/schema/events/columns'
import type { Destination } from './destination.ts'
import { entityRules } from './entity-rules.ts'
import type { EncoderOptions, RowEncoder } from './row-encoder.ts'
import { createSpanRowEncoder } from './span-encoder.ts'

export const events: Destination = {
  table: 'events_full',
  sources: writeMode => sourcesOf('events_full', writeMode),
  key: eventsKeyColumns,
  version: 'event_ts',
  monthOf: 'start_time',
  provenance: 'blob_storage_file_path',
  dependent: { table: 'events_core', columns: eventsColumns.map(({ name }) => name), select: viewSelect },
  rules: { name: 'mapping', version: mappingVersion },
  entityRules,
  createEncoder,
}

async function createEncoder({ maxRecordBytes, ...limits }: EncoderOptions): Promise<RowEncoder> {
  const { createChunkEncoder } = await import('@svc-server/observations/block/chunk-encoder')
  const { createEntityRecords, entityEvents } = await import('./entity-tables.ts')
  const { createTombstones, goneEvent } = await import('./tombstones.ts')
  const others = createEntityRecords(eventsColumns, entityEvents)
  const encoder = createChunkEncoder({
    maxDecodedBytes: maxRecordBytes,
    ...limits,
    others,
    tombstones: createTombstones(eventsColumns, goneEvent),
  })
  return createSpanRowEncoder(encoder, ({ projectId, startTimeUs, traceId, spanId }) => [projectId, startTimeUs, traceId, spanId])
}
