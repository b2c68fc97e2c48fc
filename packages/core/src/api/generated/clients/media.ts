// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type EmptyRequest, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { GetMediaResponse, GetMediaUploadUrlRequest, GetMediaUploadUrlResponse, PatchMediaBody } from '../types/media.ts'

export class MediaClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Get a media record with a URL to download its bytes. */
  get(mediaId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<GetMediaResponse> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: `/api/public/media/${encodeURIComponent(mediaId)}`, errors: standardErrors },
      requestOptions,
    )
  }

  /** Create a media record, link it, and get a URL to upload its bytes. */
  getUploadUrl(request: GetMediaUploadUrlRequest, requestOptions?: RequestOptions): HttpResponsePromise<GetMediaUploadUrlResponse> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: '/api/public/media', body: request, errors: standardErrors },
      requestOptions,
    )
  }

  /** Report the result of an upload. */
  patch(mediaId: string, request: PatchMediaBody, requestOptions?: RequestOptions): HttpResponsePromise<void> {
    return sendApiRequest(
      this.options,
      { method: 'PATCH', path: `/api/public/media/${encodeURIComponent(mediaId)}`, body: request, errors: standardErrors },
      requestOptions,
    )
  }
}
