// v3's table `observations` has one row per span that was accepted in legacy or dual mode, and one row per merged observation.
import { sourcesOf } from '@svc-server/modes/flows'
import { mappingVersion } from '@svc-server/observations/block/mapping-version'
import type { Destination } from './destination.ts'
import { entityRules } from './entity-rules.ts'
import type { EncoderOptions, RowEncoder } from './row-encoder.ts'
import { createSpanRowEncoder } from './span-encoder.ts'

/** Increase this number when a change affects the rows of this table, but not the rows of the events tables. */
const ownVersion = 1
const dayUs = 86_400_000_000

export const observations: Destination = {
  table: 'observations',
  sources: writeMode => sourcesOf('observations', writeMode),
  key: [
    { sql: 'project_id', kind: 'repeated' },
    { sql: 'type', kind: 'repeated' },
    // v3's dates are in UTC.
    { sql: 'toDate(start_time)', kind: 'day' },
    { sql: 'id', kind: 'text' },
  ],
  version: 'event_ts',
  monthOf: 'toDate(start_time)',
  provenance: null,
  dependent: null,
  rules: { name: 'observations', version: `${mappingVersion}.${ownVersion}` },
  entityRules,
  createEncoder,
}

async function createEncoder({ maxRecordBytes, ...limits }: EncoderOptions): Promise<RowEncoder> {
  const { createObservationEncoder } = await import('@svc-server/observations/block/observation-encoder')
  const { observationsColumns } = await import('@svc-server/schema/old-tables/columns')
  const { createEntityRecords, oldObservations } = await import('./entity-tables.ts')
  const { createTombstones, goneObservation } = await import('./tombstones.ts')
  const others = createEntityRecords(observationsColumns, oldObservations)
  const tombstones = createTombstones(observationsColumns, goneObservation)
  const encoder = createObservationEncoder({ maxDecodedBytes: maxRecordBytes, ...limits, others, tombstones })
  return createSpanRowEncoder(
    encoder,
    ({ projectId, type, startTimeUs, spanId }) => [projectId, type, Math.floor(startTimeUs / dayUs), spanId],
    ({ eventTsUs }) => Math.floor(eventTsUs / 1000) * 1000,
  )
}
