// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { Prompt } from '../types/commons.ts'
import type { UpdatePromptRequest } from '../types/prompt-version.ts'

export class PromptVersionClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Move labels to a version of a prompt. With If-Match only while the prompt has that ETag. */
  update(name: string, version: number, request: UpdatePromptRequest, requestOptions?: RequestOptions): HttpResponsePromise<Prompt> {
    return sendApiRequest(
      this.options,
      { method: 'PATCH', path: `/api/public/v2/prompts/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`, body: request, errors: standardErrors },
      requestOptions,
    )
  }
}
