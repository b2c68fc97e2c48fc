// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
export const BlobStorageExportFieldGroup = {
  Core: 'core',
  Basic: 'basic',
  Time: 'time',
  Io: 'io',
  Metadata: 'metadata',
  Model: 'model',
  Usage: 'usage',
  Prompt: 'prompt',
  Metrics: 'metrics',
  Tools: 'tools',
  TraceContext: 'trace_context',
} as const
export type BlobStorageExportFieldGroup = (typeof BlobStorageExportFieldGroup)[keyof typeof BlobStorageExportFieldGroup]

export const BlobStorageExportFrequency = {
  Every20Minutes: 'every_20_minutes',
  Hourly: 'hourly',
  Daily: 'daily',
  Weekly: 'weekly',
} as const
export type BlobStorageExportFrequency = (typeof BlobStorageExportFrequency)[keyof typeof BlobStorageExportFrequency]

export const BlobStorageExportMode = {
  FullHistory: 'FULL_HISTORY',
  FromToday: 'FROM_TODAY',
  FromCustomDate: 'FROM_CUSTOM_DATE',
} as const
export type BlobStorageExportMode = (typeof BlobStorageExportMode)[keyof typeof BlobStorageExportMode]

export const BlobStorageExportSource = {
  LegacyTracesObservations: 'LEGACY_TRACES_OBSERVATIONS',
  ObservationsV2: 'OBSERVATIONS_V2',
  LegacyTracesAndEnrichedObservations: 'LEGACY_TRACES_AND_ENRICHED_OBSERVATIONS',
} as const
export type BlobStorageExportSource = (typeof BlobStorageExportSource)[keyof typeof BlobStorageExportSource]

export interface BlobStorageIntegrationDeletionResponse {
  message: string
}

export const BlobStorageIntegrationFileType = {
  Json: 'JSON',
  Csv: 'CSV',
  Jsonl: 'JSONL',
  Parquet: 'PARQUET',
} as const
export type BlobStorageIntegrationFileType = (typeof BlobStorageIntegrationFileType)[keyof typeof BlobStorageIntegrationFileType]

export const BlobStorageIntegrationFileTypeResponse = {
  Json: 'JSON',
  Csv: 'CSV',
  Jsonl: 'JSONL',
  Parquet: 'PARQUET',
} as const
export type BlobStorageIntegrationFileTypeResponse = (typeof BlobStorageIntegrationFileTypeResponse)[keyof typeof BlobStorageIntegrationFileTypeResponse]

export interface BlobStorageIntegrationResponse {
  id: string
  projectId: string
  type: BlobStorageIntegrationType
  bucketName: string
  endpoint: string | null
  region: string
  accessKeyId: string | null
  prefix: string
  exportFrequency: BlobStorageExportFrequency
  enabled: boolean
  forcePathStyle: boolean
  fileType: BlobStorageIntegrationFileTypeResponse
  exportMode: BlobStorageExportMode
  exportStartDate: string | null
  compressed: boolean
  exportSource: BlobStorageExportSource
  exportFieldGroups: BlobStorageExportFieldGroup[] | null
  nextSyncAt: string | null
  lastSyncAt: string | null
  lastError: string | null
  lastErrorAt: string | null
  createdAt: string
  updatedAt: string
}

export interface BlobStorageIntegrationStatusResponse {
  id: string
  projectId: string
  syncStatus: BlobStorageSyncStatus
  enabled: boolean
  lastSyncAt: string | null
  nextSyncAt: string | null
  lastError: string | null
  lastErrorAt: string | null
}

export const BlobStorageIntegrationType = {
  S3: 'S3',
  S3Compatible: 'S3_COMPATIBLE',
  AzureBlobStorage: 'AZURE_BLOB_STORAGE',
} as const
export type BlobStorageIntegrationType = (typeof BlobStorageIntegrationType)[keyof typeof BlobStorageIntegrationType]

export interface BlobStorageIntegrationsResponse {
  data: BlobStorageIntegrationResponse[]
}

export const BlobStorageSyncStatus = {
  Idle: 'idle',
  Running: 'running',
  Queued: 'queued',
  UpToDate: 'up_to_date',
  Disabled: 'disabled',
  Error: 'error',
} as const
export type BlobStorageSyncStatus = (typeof BlobStorageSyncStatus)[keyof typeof BlobStorageSyncStatus]

export interface CreateBlobStorageIntegrationRequest {
  projectId: string
  type: BlobStorageIntegrationType
  bucketName: string
  endpoint?: string | undefined
  region: string
  accessKeyId?: string | undefined
  secretAccessKey?: string | undefined
  prefix?: string | undefined
  exportFrequency: BlobStorageExportFrequency
  enabled: boolean
  forcePathStyle: boolean
  fileType: BlobStorageIntegrationFileType
  exportMode: BlobStorageExportMode
  exportStartDate?: string | undefined
  compressed?: boolean | undefined
  exportSource?: BlobStorageExportSource | undefined
  exportFieldGroups?: BlobStorageExportFieldGroup[] | undefined
}
