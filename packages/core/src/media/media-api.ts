// Makes the two API calls of an upload without the generated client. An application that only uploads media therefore does not load this
// client.

import { standardErrors } from '../api/core/errors.ts'
import { type ApiClientOptions, type RequestOptions, sendApiRequest } from '../api/core/request.ts'
import type { MediaApi } from './upload-media.ts'

export function createMediaApi(client: ApiClientOptions): MediaApi {
  return {
    media: {
      getUploadUrl: (request, requestOptions?: RequestOptions) =>
        sendApiRequest<{ mediaId: string; uploadUrl?: string | null }>(
          client,
          { method: 'POST', path: '/api/public/media', body: request, errors: standardErrors },
          requestOptions,
        ),
      patch: (mediaId, report, requestOptions?: RequestOptions) =>
        sendApiRequest<void>(
          client,
          { method: 'PATCH', path: `/api/public/media/${encodeURIComponent(mediaId)}`, body: report, errors: standardErrors },
          requestOptions,
        ),
    },
  }
}
