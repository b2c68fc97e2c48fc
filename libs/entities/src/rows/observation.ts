// Converts a merged observation to rows of the v3 table `observations` and of events_full (contract §§11.1, 11.6, 14.4).
import type { CatalogLookup } from '@svc-server/observations/catalog-lookup'
import { parseJson } from '@svc-server/observations/json-text'
import type { EntityKey } from '@svc-server/schema/entity'
import type { PublishedEntity } from '../codec.ts'
import { keyOf } from '../merged.ts'
import { metadataEntries } from '../metadata.ts'
import { type EntityState, saidValue } from '../state.ts'
import { attribution, estimate, eventMetadata, eventTimes, experimentOf, source } from './event-columns.ts'
import { createPricing } from './priced.ts'
import { type EventRow, flag, type ObservationRow } from './tables.ts'
import { eventTombstone, observationTombstone } from './tombstone.ts'
import { toolsOf } from './tools.ts'
import { dayOf } from './trace.ts'
import { virtualRootId } from './virtual-root.ts'

export interface ObservationRows {
  /** Returns the current row, and a tombstone for each earlier key that differs from the current key. */
  old(entity: PublishedEntity): readonly ObservationRow[]
  /** If an observation has no parent, the trace's root is its parent in these rows. */
  events(entity: PublishedEntity): readonly EventRow[]
}

export function createObservationRows(lookup: CatalogLookup): ObservationRows {
  const price = createPricing(lookup)

  function oldRow(entity: PublishedEntity, { startMs, type, traceId }: EntityKey): ObservationRow {
    const { projectId, entityId, state, versionMs } = entity
    const { usage, modelId, totalCost, isEstimated } = price(projectId, startMs, state)
    const prompt = promptOf(lookup, projectId, state)
    const parameters = saidValue(state, 'modelParameters')
    return {
      id: entityId,
      trace_id: traceId,
      project_id: projectId,
      name: saidValue(state, 'name') ?? '',
      type,
      level: saidValue(state, 'level') ?? 'DEFAULT',
      environment: saidValue(state, 'environment') ?? 'default',
      parent_observation_id: saidValue(state, 'parentId'),
      status_message: saidValue(state, 'statusMessage'),
      version: saidValue(state, 'version'),
      provided_model_name: saidValue(state, 'model'),
      internal_model_id: modelId,
      model_parameters: parameters,
      prompt_id: prompt.id,
      prompt_name: prompt.name,
      prompt_version: prompt.version,
      start_time: startMs,
      end_time: endMsOf(state, startMs),
      completion_start_time: timeOf(saidValue(state, 'completionStartMs')),
      metadata: [...metadataEntries(state.metadata).map(([name, text]) => [name, text] as const), ...(isEstimated ? [estimate] : [])],
      input: saidValue(state, 'input'),
      output: saidValue(state, 'output'),
      ...usage,
      total_cost: totalCost,
      ...toolsOf(saidValue(state, 'input'), saidValue(state, 'output')),
      created_at: state.createdMs ?? versionMs,
      updated_at: versionMs,
      event_ts: versionMs,
      is_deleted: 0,
    }
  }

  function eventRow(entity: PublishedEntity, key: EntityKey): EventRow {
    const { projectId, entityId, state, fill } = entity
    const old = oldRow(entity, key)
    const said = fill?.traceAttributes ?? {}
    const us = (ms: number | null) => (ms === null ? null : ms * 1000)
    return {
      project_id: projectId,
      trace_id: key.traceId,
      span_id: entityId,
      parent_span_id: old.parent_observation_id || (fill?.rootSpanId ?? virtualRootId(key.traceId)),
      start_time: key.startMs * 1000,
      end_time: us(old.end_time),
      name: old.name,
      type: key.type,
      environment: old.environment,
      version: old.version ?? said.version ?? '',
      release: said.release ?? '',
      trace_name: said.name ?? '',
      user_id: said.userId ?? '',
      session_id: said.sessionId ?? '',
      tags: said.tags ?? [],
      level: old.level,
      status_message: old.status_message ?? '',
      completion_start_time: us(old.completion_start_time),
      bookmarked: 0,
      public: flag(said.public === true),
      prompt_id: old.prompt_id ?? '',
      prompt_name: old.prompt_name ?? '',
      prompt_version: old.prompt_version,
      model_id: old.internal_model_id ?? '',
      provided_model_name: old.provided_model_name ?? '',
      model_parameters: old.model_parameters ?? '{}',
      provided_usage_details: old.provided_usage_details,
      usage_details: old.usage_details,
      provided_cost_details: old.provided_cost_details,
      cost_details: old.cost_details,
      usage_pricing_tier_id: old.usage_pricing_tier_id,
      usage_pricing_tier_name: old.usage_pricing_tier_name,
      tool_definitions: old.tool_definitions,
      tool_calls: old.tool_calls,
      tool_call_names: old.tool_call_names,
      input: old.input ?? '',
      output: old.output ?? '',
      ...eventMetadata(state.metadata, old.metadata.at(-1) === estimate),
      ...experimentOf(entity, entityId),
      source,
      ...attribution(state),
      ...eventTimes(entity),
      is_deleted: 0,
    }
  }

  return {
    old: entity => rowsOf(entity, oldRow, observationTombstone, ({ startMs, type }) => `${dayOf(startMs)} ${type}`),
    events: entity => rowsOf(entity, eventRow, goneEvent, ({ startMs, traceId }) => `${startMs} ${traceId}`),
  }
}

const goneEvent = (entity: PublishedEntity, { startMs, type, traceId }: EntityKey): EventRow =>
  eventTombstone(entity, { trace_id: traceId, span_id: entity.entityId, start_time: startMs * 1000, type })

/**
 * Makes a row for the current key, and a tombstone for each former key. `placeOf` returns a text with the parts of an entity's key that the
 * table's sorting key uses. The sorting key of the v3 table uses only the day of the start time. Keys for which `placeOf` returns equal
 * texts count as one key.
 */
function rowsOf<Row>(
  entity: PublishedEntity,
  make: (entity: PublishedEntity, key: EntityKey) => Row,
  gone: (entity: PublishedEntity, key: EntityKey) => Row,
  placeOf: (key: EntityKey) => string,
): readonly Row[] {
  const key = keyOf(entity, entity.state)
  const taken = new Set(key === null ? [] : [placeOf(key)])
  const left = entity.retired.filter(each => !taken.has(placeOf(each)) && taken.add(placeOf(each)))
  return [...(key === null ? [] : [make(entity, key)]), ...left.map(each => gone(entity, each))]
}

const timeOf = (text: string | null): number | null => (text === null ? null : Number(text))

function endMsOf(state: EntityState, startMs: number): number | null {
  const endMs = timeOf(saidValue(state, 'endMs'))
  return endMs === null ? null : Math.max(endMs, startMs)
}

interface Prompt {
  readonly id: string | null
  readonly name: string | null
  readonly version: number | null
}

/** Largest value of the column for prompt versions. */
const maxPromptVersion = 65_535

function promptOf(lookup: CatalogLookup, projectId: string, state: EntityState): Prompt {
  const said = parseJson(saidValue(state, 'prompt') ?? '')
  const [name, version] = Array.isArray(said) ? (said as readonly unknown[]) : []
  if (typeof name !== 'string' || typeof version !== 'number') return { id: null, name: null, version: null }
  const fits = Number.isInteger(version) && version >= 0 && version <= maxPromptVersion
  const id = fits ? (lookup.catalog?.promptId(projectId, name, version) ?? null) : null
  return { id, name, version: fits ? version : null }
}
