// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type EmptyRequest, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { DeleteMembershipRequest, MembershipDeletionResponse, MembershipRequest, MembershipResponse, MembershipsResponse, OrganizationApiKeysResponse, OrganizationProjectsResponse } from '../types/organizations.ts'

export class OrganizationsClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Remove a member from the organization. */
  deleteOrganizationMembership(request: DeleteMembershipRequest, requestOptions?: RequestOptions): HttpResponsePromise<MembershipDeletionResponse> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: '/api/public/organizations/memberships', body: request, errors: standardErrors },
      requestOptions,
    )
  }

  /** Take the explicit role in a project from a member. */
  deleteProjectMembership(projectId: string, request: DeleteMembershipRequest, requestOptions?: RequestOptions): HttpResponsePromise<MembershipDeletionResponse> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: `/api/public/projects/${encodeURIComponent(projectId)}/memberships`, body: request, errors: standardErrors },
      requestOptions,
    )
  }

  /** List the API keys of the organization. */
  getOrganizationApiKeys(_request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<OrganizationApiKeysResponse> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/organizations/apiKeys', errors: standardErrors },
      requestOptions,
    )
  }

  /** List the members of the organization. */
  getOrganizationMemberships(_request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<MembershipsResponse> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/organizations/memberships', errors: standardErrors },
      requestOptions,
    )
  }

  /** List the projects of the organization. */
  getOrganizationProjects(_request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<OrganizationProjectsResponse> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/organizations/projects', errors: standardErrors },
      requestOptions,
    )
  }

  /** List the explicit roles of a project. */
  getProjectMemberships(projectId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<MembershipsResponse> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: `/api/public/projects/${encodeURIComponent(projectId)}/memberships`, errors: standardErrors },
      requestOptions,
    )
  }

  /** Add a member to the organization, or change a role. */
  updateOrganizationMembership(request: MembershipRequest, requestOptions?: RequestOptions): HttpResponsePromise<MembershipResponse> {
    return sendApiRequest(
      this.options,
      { method: 'PUT', path: '/api/public/organizations/memberships', body: request, errors: standardErrors },
      requestOptions,
    )
  }

  /** Give a member a role in a project. */
  updateProjectMembership(projectId: string, request: MembershipRequest, requestOptions?: RequestOptions): HttpResponsePromise<MembershipResponse> {
    return sendApiRequest(
      this.options,
      { method: 'PUT', path: `/api/public/projects/${encodeURIComponent(projectId)}/memberships`, body: request, errors: standardErrors },
      requestOptions,
    )
  }
}
