// Types of the wire of skills.
import { z } from 'zod'
import { listOf, recordOf, responseTime, storedText } from '../fields/fields.ts'

export const SkillVersionFileInput = z
  .object({
    path: storedText,
    content: storedText,
  })
  .meta({ id: 'SkillVersionFileInput' })

export const SkillVersionFileReference = z
  .object({
    path: storedText,
    sha256Hash: storedText,
  })
  .meta({ id: 'SkillVersionFileReference' })

export const SkillVersionFileCreateInput = z
  .union([SkillVersionFileInput, SkillVersionFileReference])
  .meta({ id: 'SkillVersionFileCreateInput' })

export const CreateSkillVersionRequest = z
  .object({
    files: listOf(SkillVersionFileCreateInput),
    commitMessage: storedText.nullish(),
  })
  .meta({ id: 'CreateSkillVersionRequest' })

export const DeleteSkillVersionResponse = z
  .object({
    deleted: z.boolean(),
  })
  .meta({ id: 'DeleteSkillVersionResponse' })

export const SkillFile = z
  .object({
    id: z.string(),
    path: z.string(),
    blobId: z.string(),
    sha256Hash: z.string(),
    contentType: z.string(),
    contentLength: z.int(),
  })
  .meta({ id: 'SkillFile' })

export const SkillFileContent = z
  .object({
    sha256Hash: z.string(),
    content: z.string(),
  })
  .meta({ id: 'SkillFileContent' })

export const SkillFileContentsResponse = z
  .object({
    data: z.array(SkillFileContent),
  })
  .meta({ id: 'SkillFileContentsResponse' })

export const SkillListPagination = z
  .object({
    page: z.int(),
    limit: z.int(),
    totalItems: z.int(),
    totalPages: z.int(),
    hasNextPage: z.boolean(),
  })
  .meta({ id: 'SkillListPagination' })

export const SkillMeta = z
  .object({
    name: z.string(),
    description: z.string(),
    tags: z.array(z.string()),
    latestVersion: z.int(),
    latestVersionCreatedAt: responseTime,
    latestVersionLastUpdatedAt: responseTime,
    productionVersion: z.int().nullable(),
  })
  .meta({ id: 'SkillMeta' })

export const SkillMetaListResponse = z
  .object({
    data: z.array(SkillMeta),
    meta: SkillListPagination,
  })
  .meta({ id: 'SkillMetaListResponse' })

export const SkillVersion = z
  .object({
    id: z.string(),
    createdAt: responseTime,
    updatedAt: responseTime,
    projectId: z.string(),
    createdBy: z.string(),
    name: z.string(),
    description: z.string(),
    frontmatter: recordOf(z.unknown()),
    version: z.int(),
    tags: z.array(z.string()),
    labels: z.array(z.string()),
    commitMessage: z.string().nullable(),
    files: z.array(SkillFile),
  })
  .meta({ id: 'SkillVersion' })

export const UpdateSkillLabelsRequest = z
  .object({
    labels: listOf(storedText),
  })
  .meta({ id: 'UpdateSkillLabelsRequest' })

export const UpdateSkillRequest = z
  .object({
    tags: listOf(storedText),
  })
  .meta({ id: 'UpdateSkillRequest' })
