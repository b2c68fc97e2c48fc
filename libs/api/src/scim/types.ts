import { z } from 'zod'
import { listOf, storedText } from '../fields/fields.ts'

export const AuthenticationScheme = z
  .object({
    name: z.string(),
    description: z.string(),
    specUri: z.string(),
    type: z.string(),
    primary: z.boolean(),
  })
  .meta({ id: 'AuthenticationScheme' })

export const BulkConfig = z
  .object({
    supported: z.boolean(),
    maxOperations: z.int(),
    maxPayloadSize: z.int(),
  })
  .meta({ id: 'BulkConfig' })

export const ScimEmail = z
  .object({
    primary: z.boolean(),
    value: storedText,
    type: storedText,
  })
  .meta({ id: 'ScimEmail' })

export const ScimName = z
  .object({
    formatted: storedText.nullish(),
  })
  .meta({ id: 'ScimName' })

export const CreateUserRequest = z
  .object({
    userName: storedText.min(1).max(320),
    name: ScimName.nullish(),
    displayName: storedText.nullish(),
    emails: listOf(ScimEmail).nullish(),
    active: z.boolean().nullish(),
    /** The server accepts a password but ignores it, because SCIM cannot set passwords. */
    password: storedText.nullish(),
    roles: listOf(z.string()).nullish(),
  })
  .meta({ id: 'CreateUserRequest' })

/** Replaces an existing user. `active` determines the membership, and `roles` determines the role. */
export const ReplaceUserRequest = z
  .object({
    schemas: listOf(z.string()),
    active: z.boolean().nullish(),
    roles: listOf(z.string()).nullish(),
  })
  .meta({ id: 'ReplaceUserRequest' })

const PatchOperation = z.object({ op: z.string(), value: z.object({ active: z.boolean() }) })

export const PatchUserRequest = z
  .object({
    schemas: listOf(z.string()),
    Operations: z.array(PatchOperation).min(1).max(100),
  })
  .meta({ id: 'PatchUserRequest' })

export const EmptyResponse = z.object({}).meta({ id: 'EmptyResponse' })

export const FilterConfig = z
  .object({
    supported: z.boolean(),
    maxResults: z.int(),
  })
  .meta({ id: 'FilterConfig' })

export const ResourceMeta = z
  .object({
    resourceType: z.string(),
    location: z.string(),
  })
  .meta({ id: 'ResourceMeta' })

export const SchemaExtension = z
  .object({
    schema: z.string(),
    required: z.boolean(),
  })
  .meta({ id: 'SchemaExtension' })

export const ResourceType = z
  .object({
    schemas: z.array(z.string()).optional(),
    id: z.string(),
    name: z.string(),
    endpoint: z.string(),
    description: z.string(),
    schema: z.string(),
    schemaExtensions: z.array(SchemaExtension),
    meta: ResourceMeta,
  })
  .meta({ id: 'ResourceType' })

export const ResourceTypesResponse = z
  .object({
    schemas: z.array(z.string()),
    totalResults: z.int(),
    Resources: z.array(ResourceType),
  })
  .meta({ id: 'ResourceTypesResponse' })

export const SchemaResource = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    attributes: z.array(z.unknown()),
    meta: ResourceMeta,
  })
  .meta({ id: 'SchemaResource' })

export const SchemasResponse = z
  .object({
    schemas: z.array(z.string()),
    totalResults: z.int(),
    Resources: z.array(SchemaResource),
  })
  .meta({ id: 'SchemasResponse' })

export const ScimFeatureSupport = z
  .object({
    supported: z.boolean(),
  })
  .meta({ id: 'ScimFeatureSupport' })

export const UserMeta = z
  .object({
    resourceType: z.string(),
    created: z.string().optional(),
    lastModified: z.string().optional(),
  })
  .meta({ id: 'UserMeta' })

export const ScimUser = z
  .object({
    schemas: z.array(z.string()),
    id: z.string(),
    userName: z.string(),
    name: ScimName,
    emails: z.array(ScimEmail),
    meta: UserMeta,
  })
  .meta({ id: 'ScimUser' })

export const ScimUsersListResponse = z
  .object({
    schemas: z.array(z.string()),
    totalResults: z.int(),
    startIndex: z.int(),
    itemsPerPage: z.int(),
    Resources: z.array(ScimUser),
  })
  .meta({ id: 'ScimUsersListResponse' })

export const ServiceProviderConfig = z
  .object({
    schemas: z.array(z.string()),
    documentationUri: z.string(),
    patch: ScimFeatureSupport,
    bulk: BulkConfig,
    filter: FilterConfig,
    changePassword: ScimFeatureSupport,
    sort: ScimFeatureSupport,
    etag: ScimFeatureSupport,
    authenticationSchemes: z.array(AuthenticationScheme),
    meta: ResourceMeta,
  })
  .meta({ id: 'ServiceProviderConfig' })
