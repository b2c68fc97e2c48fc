import { operation } from '../operation.ts'
import {
  BlobStorageIntegrationDeletionResponse,
  BlobStorageIntegrationResponse,
  BlobStorageIntegrationStatusResponse,
  BlobStorageIntegrationsResponse,
  CreateBlobStorageIntegrationRequest,
} from './types.ts'

export const getBlobStorageIntegrations = operation({
  id: 'blobStorageIntegrations.getBlobStorageIntegrations',
  method: 'GET',
  path: '/api/public/integrations/blob-storage',
  auth: 'organization',
  family: 'named',
  responses: { 200: BlobStorageIntegrationsResponse },
  emptyRequest: true,
  summary: 'List the blob-storage integrations of the organization.',
})

export const upsertBlobStorageIntegration = operation({
  id: 'blobStorageIntegrations.upsertBlobStorageIntegration',
  method: 'PUT',
  path: '/api/public/integrations/blob-storage',
  auth: 'organization',
  family: 'named',
  body: CreateBlobStorageIntegrationRequest,
  responses: { 200: BlobStorageIntegrationResponse },
  summary: 'Create or replace the blob-storage integration of a project.',
})

export const getBlobStorageIntegrationStatus = operation({
  id: 'blobStorageIntegrations.getBlobStorageIntegrationStatus',
  method: 'GET',
  path: '/api/public/integrations/blob-storage/{id}',
  auth: 'organization',
  family: 'named',
  responses: { 200: BlobStorageIntegrationStatusResponse },
  emptyRequest: true,
  summary: 'Get the sync status of a blob-storage integration.',
})

export const deleteBlobStorageIntegration = operation({
  id: 'blobStorageIntegrations.deleteBlobStorageIntegration',
  method: 'DELETE',
  path: '/api/public/integrations/blob-storage/{id}',
  auth: 'organization',
  family: 'named',
  responses: { 200: BlobStorageIntegrationDeletionResponse },
  emptyRequest: true,
  summary: 'Delete a blob-storage integration.',
})
