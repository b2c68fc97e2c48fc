// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type EmptyRequest, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { ApiKeyDeletionResponse, ApiKeyList, ApiKeyResponse, CreateApiKeyRequest, CreateProjectRequest, Project, ProjectDeletionResponse, Projects, UpdateProjectRequest } from '../types/projects.ts'

export class ProjectsClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Create a project. */
  create(request: CreateProjectRequest, requestOptions?: RequestOptions): HttpResponsePromise<Project> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: '/api/public/projects', body: request, errors: standardErrors },
      requestOptions,
    )
  }

  /** Create an API key of a project; the response alone has its secret. */
  createApiKey(projectId: string, request: CreateApiKeyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<ApiKeyResponse> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: `/api/public/projects/${encodeURIComponent(projectId)}/apiKeys`, body: request, errors: standardErrors },
      requestOptions,
    )
  }

  /** Delete a project and all of its data. */
  delete(projectId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<ProjectDeletionResponse> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: `/api/public/projects/${encodeURIComponent(projectId)}`, errors: standardErrors },
      requestOptions,
    )
  }

  /** Revoke an API key of a project. */
  deleteApiKey(projectId: string, apiKeyId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<ApiKeyDeletionResponse> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: `/api/public/projects/${encodeURIComponent(projectId)}/apiKeys/${encodeURIComponent(apiKeyId)}`, errors: standardErrors },
      requestOptions,
    )
  }

  /** Get the project of the key. */
  get(_request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<Projects> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/projects', errors: standardErrors },
      requestOptions,
    )
  }

  /** List the API keys of a project. */
  getApiKeys(projectId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<ApiKeyList> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: `/api/public/projects/${encodeURIComponent(projectId)}/apiKeys`, errors: standardErrors },
      requestOptions,
    )
  }

  /** Change a project. */
  update(projectId: string, request: UpdateProjectRequest, requestOptions?: RequestOptions): HttpResponsePromise<Project> {
    return sendApiRequest(
      this.options,
      { method: 'PUT', path: `/api/public/projects/${encodeURIComponent(projectId)}`, body: request, errors: standardErrors },
      requestOptions,
    )
  }
}
