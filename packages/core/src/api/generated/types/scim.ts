// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
export interface AuthenticationScheme {
  name: string
  description: string
  specUri: string
  type: string
  primary: boolean
}

export interface BulkConfig {
  supported: boolean
  maxOperations: number
  maxPayloadSize: number
}

export interface CreateUserRequest {
  userName: string
  name: ScimName
  displayName?: string | undefined
  emails?: ScimEmail[] | undefined
  active?: boolean | undefined
  password?: string | undefined
  roles?: string[] | undefined
}

export type EmptyResponse = Record<string, unknown>

export interface FilterConfig {
  supported: boolean
  maxResults: number
}

export interface ListUsersRequest {
  filter?: string | undefined
  startIndex?: number | undefined
  count?: number | undefined
}

export interface ResourceMeta {
  resourceType: string
  location: string
}

export interface ResourceType {
  schemas?: string[] | undefined
  id: string
  name: string
  endpoint: string
  description: string
  schema: string
  schemaExtensions: SchemaExtension[]
  meta: ResourceMeta
}

export interface ResourceTypesResponse {
  schemas: string[]
  totalResults: number
  Resources: ResourceType[]
}

export interface SchemaExtension {
  schema: string
  required: boolean
}

export interface SchemaResource {
  id: string
  name: string
  description: string
  attributes: unknown[]
  meta: ResourceMeta
}

export interface SchemasResponse {
  schemas: string[]
  totalResults: number
  Resources: SchemaResource[]
}

export interface ScimEmail {
  primary: boolean
  value: string
  type: string
}

export interface ScimFeatureSupport {
  supported: boolean
}

export interface ScimName {
  formatted?: string | undefined
}

export interface ScimUser {
  schemas: string[]
  id: string
  userName: string
  name: ScimName
  emails: ScimEmail[]
  meta: UserMeta
}

export interface ScimUsersListResponse {
  schemas: string[]
  totalResults: number
  startIndex: number
  itemsPerPage: number
  Resources: ScimUser[]
}

export interface ServiceProviderConfig {
  schemas: string[]
  documentationUri: string
  patch: ScimFeatureSupport
  bulk: BulkConfig
  filter: FilterConfig
  changePassword: ScimFeatureSupport
  sort: ScimFeatureSupport
  etag: ScimFeatureSupport
  authenticationSchemes: AuthenticationScheme[]
  meta: ResourceMeta
}

export interface UserMeta {
  resourceType: string
  created?: string | undefined
  lastModified?: string | undefined
}
