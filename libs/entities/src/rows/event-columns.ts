// Columns of the events tables that traces and observations of the legacy API have alike.
import { estimatedUsageName } from '@svc-server/observations/estimated-usage'
import { leafType } from '@svc-server/observations/leaf-type'
import { type RunItemCells, runItemCells } from '@svc-server/observations/run-item'
import type { PublishedEntity } from '../codec.ts'
import { createdMsOf } from '../merged.ts'
import { type MetadataNode, metadataEntries } from '../metadata.ts'
import { type EntityState, saidValue } from '../state.ts'
import type { EventRow } from './tables.ts'

/** What came by the legacy API while both sets of tables were written (contract §13.3). */
export const source = 'ingestion-api-dual-write'

/**
 * As the old tables have it, one name a member: so the backfill makes the same of them. Types are those of
 * metadata_types.
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

/** Of an observation whose tokens were counted here. */
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

/** Repairs of one version before the next version's time begins. */
const maxGeneration = 999

/** A repair of the fill-in replaces what it repairs, and never wins over a later version of the entity. */
export function eventTimes({ state, versionMs, fill }: PublishedEntity): Pick<EventRow, 'created_at' | 'updated_at' | 'event_ts'> {
  const versionUs = versionMs * 1000 + Math.min(fill?.staged?.generation ?? 0, maxGeneration)
  return { created_at: (createdMsOf(state) ?? versionMs) * 1000, updated_at: versionUs, event_ts: versionUs }
}

/** The run item that the row belongs to, if it belongs to one. */
export const experimentOf = ({ fill }: PublishedEntity, spanId: string): Partial<RunItemCells> =>
  fill?.runItem ? runItemCells(fill.runItem, spanId) : {}
