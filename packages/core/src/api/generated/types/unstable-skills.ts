// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
export interface CreateSkillVersionRequest {
  files: SkillVersionFileCreateInput[]
  commitMessage?: string | undefined
}

export interface DeleteSkillVersionResponse {
  deleted: boolean
}

export interface GetSkillFileContentsRequest {
  sha256Hashes: string
}

export interface GetSkillRequest {
  version?: number | undefined
  label?: string | undefined
}

export interface ListSkillsRequest {
  page?: number | undefined
  limit?: number | undefined
  name?: string | undefined
  search?: string | undefined
  tag?: string | undefined
  fromUpdatedAt?: string | undefined
  toUpdatedAt?: string | undefined
}

export interface SkillFile {
  id: string
  path: string
  blobId: string
  sha256Hash: string
  contentType: string
  contentLength: number
}

export interface SkillFileContent {
  sha256Hash: string
  content: string
}

export interface SkillFileContentsResponse {
  data: SkillFileContent[]
}

export interface SkillListPagination {
  page: number
  limit: number
  totalItems: number
  totalPages: number
  hasNextPage: boolean
}

export interface SkillMeta {
  name: string
  description: string
  tags: string[]
  latestVersion: number
  latestVersionCreatedAt: string
  latestVersionLastUpdatedAt: string
  productionVersion: number | null
}

export interface SkillMetaListResponse {
  data: SkillMeta[]
  meta: SkillListPagination
}

export interface SkillVersion {
  id: string
  createdAt: string
  updatedAt: string
  projectId: string
  createdBy: string
  name: string
  description: string
  frontmatter: Record<string, unknown>
  version: number
  tags: string[]
  labels: string[]
  commitMessage: string | null
  files: SkillFile[]
}

export type SkillVersionFileCreateInput = SkillVersionFileInput | SkillVersionFileReference

export interface SkillVersionFileInput {
  path: string
  content: string
}

export interface SkillVersionFileReference {
  path: string
  sha256Hash: string
}

export interface UpdateSkillLabelsRequest {
  labels: string[]
}

export interface UpdateSkillRequest {
  tags: string[]
}
