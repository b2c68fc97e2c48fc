import { z } from 'zod'
import { isoTime, listOf, responseTime, storedName, storedText } from '../fields/fields.ts'

export const BlobStorageExportFieldGroup = z
  .enum(['core', 'basic', 'time', 'io', 'metadata', 'model', 'usage', 'prompt', 'metrics', 'tools', 'trace_context'])
  .meta({ id: 'BlobStorageExportFieldGroup' })

export const BlobStorageExportFrequency = z
  .enum(['every_20_minutes', 'hourly', 'daily', 'weekly'])
  .meta({ id: 'BlobStorageExportFrequency' })

export const BlobStorageExportMode = z.enum(['FULL_HISTORY', 'FROM_TODAY', 'FROM_CUSTOM_DATE']).meta({ id: 'BlobStorageExportMode' })

export const BlobStorageExportSource = z
  .enum(['LEGACY_TRACES_OBSERVATIONS', 'OBSERVATIONS_V2', 'LEGACY_TRACES_AND_ENRICHED_OBSERVATIONS'])
  .meta({ id: 'BlobStorageExportSource' })

export const BlobStorageIntegrationDeletionResponse = z
  .object({
    message: z.string(),
  })
  .meta({ id: 'BlobStorageIntegrationDeletionResponse' })

export const BlobStorageIntegrationFileType = z.enum(['JSON', 'CSV', 'JSONL', 'PARQUET']).meta({ id: 'BlobStorageIntegrationFileType' })

export const BlobStorageIntegrationFileTypeResponse = z
  .enum(['JSON', 'CSV', 'JSONL', 'PARQUET'])
  .meta({ id: 'BlobStorageIntegrationFileTypeResponse' })

export const BlobStorageIntegrationType = z
  .enum(['S3', 'S3_COMPATIBLE', 'AZURE_BLOB_STORAGE', 'GOOGLE_CLOUD_STORAGE'])
  .meta({ id: 'BlobStorageIntegrationType' })

export const BlobStorageIntegrationResponse = z
  .object({
    id: z.string(),
    projectId: z.string(),
    type: BlobStorageIntegrationType,
    bucketName: z.string(),
    endpoint: z.string().nullable(),
    region: z.string(),
    accessKeyId: z.string().nullable(),
    prefix: z.string(),
    exportFrequency: BlobStorageExportFrequency,
    enabled: z.boolean(),
    forcePathStyle: z.boolean(),
    fileType: BlobStorageIntegrationFileTypeResponse,
    exportMode: BlobStorageExportMode,
    exportStartDate: responseTime.nullable(),
    compressed: z.boolean(),
    exportSource: BlobStorageExportSource,
    exportFieldGroups: z.array(BlobStorageExportFieldGroup).nullable(),
    nextSyncAt: responseTime.nullable(),
    lastSyncAt: responseTime.nullable(),
    lastError: z.string().nullable(),
    lastErrorAt: responseTime.nullable(),
    createdAt: responseTime,
    updatedAt: responseTime,
  })
  .meta({ id: 'BlobStorageIntegrationResponse' })

export const BlobStorageSyncStatus = z
  .enum(['idle', 'running', 'queued', 'up_to_date', 'disabled', 'error'])
  .meta({ id: 'BlobStorageSyncStatus' })

export const BlobStorageIntegrationStatusResponse = z
  .object({
    id: z.string(),
    projectId: z.string(),
    syncStatus: BlobStorageSyncStatus,
    enabled: z.boolean(),
    lastSyncAt: responseTime.nullable(),
    nextSyncAt: responseTime.nullable(),
    lastError: z.string().nullable(),
    lastErrorAt: responseTime.nullable(),
  })
  .meta({ id: 'BlobStorageIntegrationStatusResponse' })

export const BlobStorageIntegrationsResponse = z
  .object({
    data: z.array(BlobStorageIntegrationResponse),
  })
  .meta({ id: 'BlobStorageIntegrationsResponse' })

export const CreateBlobStorageIntegrationRequest = z
  .strictObject({
    projectId: storedName(800),
    type: BlobStorageIntegrationType,
    bucketName: storedName(255),
    endpoint: storedName(2_048).nullish(),
    region: storedText,
    accessKeyId: storedName(1_000).nullish(),
    secretAccessKey: storedName(10_000).nullish(),
    prefix: storedText.nullish(),
    exportFrequency: BlobStorageExportFrequency,
    enabled: z.boolean(),
    forcePathStyle: z.boolean(),
    fileType: BlobStorageIntegrationFileType,
    exportMode: BlobStorageExportMode,
    exportStartDate: isoTime.nullish(),
    compressed: z.boolean().nullish(),
    exportSource: BlobStorageExportSource.nullish(),
    exportFieldGroups: listOf(BlobStorageExportFieldGroup).nullish(),
  })
  .meta({ id: 'CreateBlobStorageIntegrationRequest' })
