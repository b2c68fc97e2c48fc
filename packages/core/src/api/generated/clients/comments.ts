// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type EmptyRequest, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { Comment, CreateCommentRequest, CreateCommentResponse, GetCommentsRequest, GetCommentsResponse } from '../types/comments.ts'

export class CommentsClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Comment on a trace, an observation, a session or a prompt. */
  create(request: CreateCommentRequest, requestOptions?: RequestOptions): HttpResponsePromise<CreateCommentResponse> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: '/api/public/comments', body: request, errors: standardErrors },
      requestOptions,
    )
  }

  /** List comments. */
  get(request: GetCommentsRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<GetCommentsResponse> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/comments', query: { ...request }, errors: standardErrors },
      requestOptions,
    )
  }

  /** Get a comment. */
  getById(commentId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<Comment> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: `/api/public/comments/${encodeURIComponent(commentId)}`, errors: standardErrors },
      requestOptions,
    )
  }
}
