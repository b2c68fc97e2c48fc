// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { unstableErrors } from '../../core/unstable-errors.ts'
import { type ApiClientOptions, type EmptyRequest, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { CreateSkillVersionRequest, DeleteSkillVersionResponse, GetSkillFileContentsRequest, GetSkillRequest, ListSkillsRequest, SkillFileContentsResponse, SkillMetaListResponse, SkillVersion, UpdateSkillLabelsRequest, UpdateSkillRequest } from '../types/unstable-skills.ts'

export class SkillsClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Create a skill, or a new version of one. */
  createVersion(request: CreateSkillVersionRequest, requestOptions?: RequestOptions): HttpResponsePromise<SkillVersion> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: '/api/public/unstable/skills', body: request, errors: unstableErrors },
      requestOptions,
    )
  }

  /** Delete a skill version. */
  deleteVersion(skillName: string, skillVersion: number, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<DeleteSkillVersionResponse> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: `/api/public/unstable/skills/${encodeURIComponent(skillName)}/versions/${encodeURIComponent(skillVersion)}`, errors: unstableErrors },
      requestOptions,
    )
  }

  /** Get a skill by its label or version. */
  get(skillName: string, request: GetSkillRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<SkillVersion> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: `/api/public/unstable/skills/${encodeURIComponent(skillName)}`, query: { ...request }, errors: unstableErrors },
      requestOptions,
    )
  }

  /** Get the contents of skill files by their hashes. */
  getFileContents(request: GetSkillFileContentsRequest, requestOptions?: RequestOptions): HttpResponsePromise<SkillFileContentsResponse> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/unstable/skills/files/content', query: { ...request }, errors: unstableErrors },
      requestOptions,
    )
  }

  /** List skills. */
  list(request: ListSkillsRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<SkillMetaListResponse> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/unstable/skills', query: { ...request }, errors: unstableErrors },
      requestOptions,
    )
  }

  /** Set the labels of a skill version. */
  setLabels(skillName: string, skillVersion: number, request: UpdateSkillLabelsRequest, requestOptions?: RequestOptions): HttpResponsePromise<SkillVersion> {
    return sendApiRequest(
      this.options,
      { method: 'PATCH', path: `/api/public/unstable/skills/${encodeURIComponent(skillName)}/versions/${encodeURIComponent(skillVersion)}`, body: request, errors: unstableErrors },
      requestOptions,
    )
  }

  /** Change a skill. */
  update(skillName: string, request: UpdateSkillRequest, requestOptions?: RequestOptions): HttpResponsePromise<SkillVersion> {
    return sendApiRequest(
      this.options,
      { method: 'PATCH', path: `/api/public/unstable/skills/${encodeURIComponent(skillName)}`, body: request, errors: unstableErrors },
      requestOptions,
    )
  }
}
