import { estimatedUsageName } from '@svc-server/observations/estimated-usage'
import { leafType } from '@svc-server/observations/leaf-type'
import { type RunItemCells, runItemCells } from '@svc-server/observations/run-item'
import type { PublishedEntity } from '../codec.ts'
import { createdMsOf } from '../merged.ts'
import { type MetadataNode, metadataEntries } from '../metadata.ts'
import { type EntityState, saidValue } from '../state.ts'
import type { EventRow } from './tables.ts'

/**
 * Value of the column `source` in rows of the events tables that come from events of the legacy API. Only the write mode `dual` creates
 * these rows.
 */
export const source = 'ingestion-api-dual-write'

/**
 * Each top-level key of the metadata becomes one entry in each of the three columns. The metadata in the v3 table also has one entry for
 * each top-level key, so the backfill and this function give these columns the same values.
 */
export function eventMetadata(
  metadata: MetadataNode,
  isEstimated = false,
): Pick<EventRow, 'metadata_names' | 'metadata_values' | 'metadata_types'> {
  const entries = [...metadataEntries(metadata), ...(isEstimated ? [[...estimate, estimate[1]] as const] : [])]
  return {
    metadata_names: entries.map(([name]) => name),
    metadata_values: entries.map(([, text]) => text),
    metadata_types: entries.map(([, , json]) => typeOfJson(json)),
  }
}

/** This metadata entry shows that the server counted the tokens, because the client sent no counts. */
export const estimate = [estimatedUsageName, 'true'] as const

function typeOfJson(json: string): number {
  switch (json[0]) {
    case '"':
      return leafType.text
    case '{':
    case '[':
      return leafType.json
    case 't':
    case 'f':
      return leafType.boolean
    case 'n':
      return leafType.null
    default:
      return leafType.number
  }
}

export const attribution = (state: EntityState) => ({
  ingestion_api_key: saidValue(state, 'apiKey') ?? '',
  ingestion_sdk_name: saidValue(state, 'sdkName') || 'unknown',
  ingestion_sdk_version: saidValue(state, 'sdkVersion') || 'unknown',
})

/**
 * Maximum number of repairs of one version that change the version's time. Each of these repairs adds one microsecond, and 1,000 repairs
 * would reach the time of the next version. Further repairs do not change the time.
 */
const maxGeneration = 999

/** With these times, the row of a repair replaces the earlier row of the same version, but never the row of a later version. */
export function eventTimes({ state, versionMs, fill }: PublishedEntity): Pick<EventRow, 'created_at' | 'updated_at' | 'event_ts'> {
  const versionUs = versionMs * 1000 + Math.min(fill?.staged?.generation ?? 0, maxGeneration)
  return { created_at: (createdMsOf(state) ?? versionMs) * 1000, updated_at: versionUs, event_ts: versionUs }
}

/** Empty without a run item. */
export const experimentOf = ({ fill }: PublishedEntity, spanId: string): Partial<RunItemCells> =>
  fill?.runItem ? runItemCells(fill.runItem, spanId) : {}
