// Turns a request's body into the settings of an export (contract §19.6).
import type { BlobStorageExportSource, CreateBlobStorageIntegrationRequest } from '@svc-server/api/blob-storage-integrations/types'
import { BlobStorageExportFieldGroup } from '@svc-server/api/blob-storage-integrations/types'
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { Integration, IntegrationSettings } from '@svc-server/relational/blob-storage-integrations'
import type { z } from 'zod'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { refused } from '../../validation/refusals.ts'

type Body = z.output<typeof CreateBlobStorageIntegrationRequest>
type Source = z.output<typeof BlobStorageExportSource>

const storedSources: Readonly<Record<Source, string>> = {
  LEGACY_TRACES_OBSERVATIONS: 'TRACES_OBSERVATIONS',
  OBSERVATIONS_V2: 'EVENTS',
  LEGACY_TRACES_AND_ENRICHED_OBSERVATIONS: 'TRACES_OBSERVATIONS_EVENTS',
}

export const sourceOf = (stored: string): Source =>
  (Object.keys(storedSources) as Source[]).find(source => storedSources[source] === stored) ?? 'LEGACY_TRACES_OBSERVATIONS'

/** A start date can be at most this far in the future, because another time zone can already have the next day. */
const latestStartMs = 27 * 3_600_000

const refuse = (message: string, field: string): never => {
  throw new InvalidBody(refused(message, [field]))
}

/** The export source that has no data, by write mode. */
const emptySources: Readonly<Partial<Record<WriteMode, Source>>> = { events_only: 'LEGACY_TRACES_OBSERVATIONS', legacy: 'OBSERVATIONS_V2' }

function sourceFor({ exportSource }: Body, before: Integration | undefined, writeMode: WriteMode): string {
  if (exportSource !== undefined && exportSource !== null) {
    if (emptySources[writeMode] === exportSource) refuse(`Has no data with SVC_MIGRATION_V4_WRITE_MODE=${writeMode}.`, 'exportSource')
    return storedSources[exportSource]
  }
  if (before !== undefined) return before.exportSource
  return writeMode === 'events_only' ? 'EVENTS' : 'TRACES_OBSERVATIONS'
}

function groupsFor({ exportFieldGroups, exportSource }: Body, before: Integration | undefined): readonly string[] {
  if (exportFieldGroups === undefined || exportFieldGroups === null) return before?.exportFieldGroups ?? BlobStorageExportFieldGroup.options
  if (exportSource === undefined || exportSource === null) refuse('Needs exportSource.', 'exportFieldGroups')
  if (!exportFieldGroups.includes('core')) refuse('Must contain core.', 'exportFieldGroups')
  return [...new Set(exportFieldGroups)]
}

function startFor({ exportMode, exportStartDate }: Body, before: Integration | undefined, nowMs: number): Date | null {
  if (exportMode === 'FULL_HISTORY') return null
  if (exportMode === 'FROM_TODAY') return before?.exportMode === exportMode ? before.exportStartDate : new Date(nowMs)
  const start = exportStartDate ?? refuse('Is required for FROM_CUSTOM_DATE.', 'exportStartDate')
  if (Date.parse(start) > nowMs + latestStartMs) refuse('Is in the future.', 'exportStartDate')
  return new Date(start)
}

/** Throws InvalidBody. Needs no store. */
export function requireBody(body: Body): void {
  const { type, bucketName, prefix, accessKeyId } = body
  if (prefix && !prefix.endsWith('/')) refuse('Must be empty or end with /.', 'prefix')
  if (type === 'AZURE_BLOB_STORAGE' && !/^(?=.{3,63}$)[a-z0-9]+(-[a-z0-9]+)*$/.test(bucketName))
    refuse('Expected the name of an Azure container: 3 to 63 lower-case letters, digits and single hyphens.', 'bucketName')
  if (type !== 'S3' && (accessKeyId === undefined || accessKeyId === null)) refuse(`Is required for ${type}.`, 'accessKeyId')
}

export interface Situation {
  readonly before: Integration | undefined
  readonly writeMode: WriteMode
  readonly nowMs: number
}

/** Throws InvalidBody. */
export function settingsOf(body: Body, { before, writeMode, nowMs }: Situation): IntegrationSettings {
  const hostCredentials = body.type === 'S3' && (body.accessKeyId ?? null) === null
  if (!hostCredentials && before?.hasSecret !== true && (body.secretAccessKey ?? null) === null) refuse('Is required.', 'secretAccessKey')
  return {
    ...{ type: body.type, bucketName: body.bucketName, prefix: body.prefix ?? '', accessKeyId: body.accessKeyId ?? null },
    ...{ region: body.region, endpoint: body.endpoint ?? null, forcePathStyle: body.forcePathStyle, enabled: body.enabled },
    ...{ exportFrequency: body.exportFrequency, fileType: body.fileType, exportMode: body.exportMode },
    ...{ exportStartDate: startFor(body, before, nowMs), exportSource: sourceFor(body, before, writeMode) },
    ...{ exportFieldGroups: groupsFor(body, before), compressed: body.compressed ?? true },
  }
}
