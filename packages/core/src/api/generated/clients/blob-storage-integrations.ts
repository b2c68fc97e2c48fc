// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type EmptyRequest, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { BlobStorageIntegrationDeletionResponse, BlobStorageIntegrationResponse, BlobStorageIntegrationStatusResponse, BlobStorageIntegrationsResponse, CreateBlobStorageIntegrationRequest } from '../types/blob-storage-integrations.ts'

export class BlobStorageIntegrationsClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Delete a blob-storage integration. */
  deleteBlobStorageIntegration(id: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<BlobStorageIntegrationDeletionResponse> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: `/api/public/integrations/blob-storage/${encodeURIComponent(id)}`, errors: standardErrors },
      requestOptions,
    )
  }

  /** Get the sync status of a blob-storage integration. */
  getBlobStorageIntegrationStatus(id: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<BlobStorageIntegrationStatusResponse> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: `/api/public/integrations/blob-storage/${encodeURIComponent(id)}`, errors: standardErrors },
      requestOptions,
    )
  }

  /** List the blob-storage integrations of the organization. */
  getBlobStorageIntegrations(_request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<BlobStorageIntegrationsResponse> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/integrations/blob-storage', errors: standardErrors },
      requestOptions,
    )
  }

  /** Create or replace the blob-storage integration of a project. */
  upsertBlobStorageIntegration(request: CreateBlobStorageIntegrationRequest, requestOptions?: RequestOptions): HttpResponsePromise<BlobStorageIntegrationResponse> {
    return sendApiRequest(
      this.options,
      { method: 'PUT', path: '/api/public/integrations/blob-storage', body: request, errors: standardErrors },
      requestOptions,
    )
  }
}
