// References to media: fields of traces, of observations, and of dataset item versions.
import { randomUUID } from 'node:crypto'
import { AppError } from '@svc-server/errors'
import type { InProject, ProjectRows } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { timesAt } from '../tenancy/times.ts'
import type { MediaReference } from './references.ts'
import { noteUnreferenced } from './unreferenced.ts'

type MediaOrigin = 'UNKNOWN' | 'CLIENT_UPLOAD' | 'INGESTION_MEDIA_EXTRACTION' | 'INGESTION_FIELD_OVERFLOW'

interface InTrace {
  readonly traceId: string
  readonly observationId?: string | null
  /** input, output or metadata. */
  readonly field: string
  readonly origin: MediaOrigin
}

/**
 * A place in a dataset item. `linkIn` adds a pending reference, because the item need not exist yet. When an item version that refers to
 * media is written, the references of that version replace all pending references of the item.
 */
interface InDatasetItem {
  readonly datasetId: string
  readonly datasetItemId: string
  /** input, expectedOutput or metadata. */
  readonly field: string
}

export type MediaPlace = InTrace | InDatasetItem

/**
 * Adding the same reference again has no effect. The caller must pass valid ids. Throws `reference_missing` for an unknown file and
 * `not_found` for an unknown dataset.
 */
export async function linkIn(rows: ProjectRows, mediaId: string, place: MediaPlace, at: Date): Promise<void> {
  if ('datasetId' in place) return linkPending(rows, mediaId, place, at)
  const { traceId, observationId = null, field, origin } = place
  const link = { id: randomUUID(), media_id: mediaId, trace_id: traceId, field, origin, ...timesAt(at) }
  const query =
    observationId === null
      ? rows
          .insert('trace_media', link)
          .onConflict(conflict => conflict.columns(['project_id', 'trace_id', 'media_id', 'field']).doNothing())
      : rows
          .insert('observation_media', { ...link, observation_id: observationId })
          .onConflict(conflict => conflict.columns(['project_id', 'trace_id', 'observation_id', 'media_id', 'field']).doNothing())
  await query.execute()
}

async function linkPending(
  rows: ProjectRows,
  mediaId: string,
  { datasetId, datasetItemId, field }: InDatasetItem,
  at: Date,
): Promise<void> {
  if ((await rows.find('datasets', datasetId)) === undefined) throw new AppError('not_found', 'Dataset not found')
  const link = { media_id: mediaId, dataset_id: datasetId, dataset_item_id: datasetItemId, field }
  const same = rows.select('dataset_item_media').select('id').where('dataset_item_valid_from', 'is', null)
  const found = await same
    .where('media_id', '=', mediaId)
    .where('dataset_item_id', '=', datasetItemId)
    .where('field', '=', field)
    .executeTakeFirst()
  if (found === undefined) await rows.insert('dataset_item_media', { id: randomUUID(), ...link, ...timesAt(at) }).execute()
}

export const linkMedia = (project: InProject, mediaId: string, place: MediaPlace, at: Date): Promise<void> =>
  project.unaudited(rows => linkIn(rows, mediaId, place, at))

/** Throws `bad_request` for files that the project does not have. */
export async function linkItemVersion(
  rows: ProjectRows,
  {
    projectId,
    datasetId,
    itemId,
    validFrom,
    at,
  }: { readonly projectId: string; readonly datasetId: string; readonly itemId: string; readonly validFrom: Date; readonly at: Date },
  references: readonly MediaReference[],
): Promise<void> {
  if (references.length === 0) return
  const ids = [...new Set(references.map(({ mediaId }) => mediaId))]
  const possible = ids.filter(canBeId)
  const found = possible.length === 0 ? [] : await rows.select('media').select('id').where('id', 'in', possible).execute()
  const known = new Set(found.map(({ id }) => id))
  const unknown = ids.filter(id => !known.has(id))
  if (unknown.length > 0)
    throw new AppError('bad_request', `The item refers to media that the project does not have: ${unknown.slice(0, 10).join(', ')}.`)
  const of = { dataset_id: datasetId, dataset_item_id: itemId, dataset_item_valid_from: validFrom, ...timesAt(at) }
  const links = references.map(({ mediaId, field, jsonPath, referenceString }) => ({
    ...{ id: randomUUID(), media_id: mediaId, field, json_path: jsonPath, reference_string: referenceString },
    ...of,
  }))
  await rows
    .insert('dataset_item_media', links)
    .onConflict(conflict => conflict.doNothing())
    .execute()
  const uploads = rows.delete('dataset_item_media').where('dataset_item_id', '=', itemId).where('dataset_item_valid_from', 'is', null)
  const taken = await uploads.returning('media_id').execute()
  await noteUnreferenced(
    rows,
    projectId,
    taken.map(({ media_id }) => media_id).filter(id => !known.has(id)),
    at,
  )
}

export async function unlinkItem(rows: ProjectRows, projectId: string, itemId: string, at: Date): Promise<void> {
  const links = await rows.delete('dataset_item_media').where('dataset_item_id', '=', itemId).returning('media_id').execute()
  await noteUnreferenced(
    rows,
    projectId,
    links.map(({ media_id }) => media_id),
    at,
  )
}

export async function unlinkTraces(rows: ProjectRows, projectId: string, traceIds: readonly string[], at: Date): Promise<void> {
  const possible = traceIds.filter(canBeId)
  if (possible.length === 0) return
  for (const table of ['trace_media', 'observation_media'] as const) {
    const links = await rows.delete(table).where('trace_id', 'in', possible).returning('media_id').execute()
    await noteUnreferenced(
      rows,
      projectId,
      links.map(({ media_id }) => media_id),
      at,
    )
  }
}
