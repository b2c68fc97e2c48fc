// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { Prompt } from '../types/commons.ts'
import type { CreatePromptRequest, DeletePromptRequest, GetPromptRequest, ListPromptsMetaRequest, PromptMetaListResponse } from '../types/prompts.ts'

export class PromptsClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Create a prompt, or a new version of one. */
  create(request: CreatePromptRequest, requestOptions?: RequestOptions): HttpResponsePromise<Prompt> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: '/api/public/v2/prompts', body: request, errors: standardErrors },
      requestOptions,
    )
  }

  /** Delete versions of a prompt. */
  delete(promptName: string, request: DeletePromptRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<void> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: `/api/public/v2/prompts/${encodeURIComponent(promptName)}`, query: { ...request }, errors: standardErrors },
      requestOptions,
    )
  }

  /** Get a prompt by its label or version. */
  get(promptName: string, request: GetPromptRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<Prompt> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: `/api/public/v2/prompts/${encodeURIComponent(promptName)}`, query: { ...request }, errors: standardErrors },
      requestOptions,
    )
  }

  /** List prompts with their versions and labels. */
  list(request: ListPromptsMetaRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<PromptMetaListResponse> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/v2/prompts', query: { ...request }, errors: standardErrors },
      requestOptions,
    )
  }
}
