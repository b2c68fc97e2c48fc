// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type EmptyRequest, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { CreateUserRequest, EmptyResponse, ListUsersRequest, ResourceTypesResponse, SchemasResponse, ScimUser, ScimUsersListResponse, ServiceProviderConfig } from '../types/scim.ts'

export class ScimClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Create a user, or add an existing one to the organization. */
  createUser(request: CreateUserRequest, requestOptions?: RequestOptions): HttpResponsePromise<ScimUser> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: '/api/public/scim/Users', body: request, errors: standardErrors },
      requestOptions,
    )
  }

  /** Remove a user from the organization. */
  deleteUser(userId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<EmptyResponse> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: `/api/public/scim/Users/${encodeURIComponent(userId)}`, errors: standardErrors },
      requestOptions,
    )
  }

  /** List SCIM resource types. */
  getResourceTypes(_request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<ResourceTypesResponse> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/scim/ResourceTypes', errors: standardErrors },
      requestOptions,
    )
  }

  /** List SCIM schemas. */
  getSchemas(_request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<SchemasResponse> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/scim/Schemas', errors: standardErrors },
      requestOptions,
    )
  }

  /** Describe what the SCIM service supports. */
  getServiceProviderConfig(_request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<ServiceProviderConfig> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/scim/ServiceProviderConfig', errors: standardErrors },
      requestOptions,
    )
  }

  /** Get a user. */
  getUser(userId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<ScimUser> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: `/api/public/scim/Users/${encodeURIComponent(userId)}`, errors: standardErrors },
      requestOptions,
    )
  }

  /** List users. */
  listUsers(request: ListUsersRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<ScimUsersListResponse> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/scim/Users', query: { ...request }, errors: standardErrors },
      requestOptions,
    )
  }
}
