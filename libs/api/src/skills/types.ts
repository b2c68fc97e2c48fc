import { z } from 'zod'
import { listOf, recordOf, responseTime, storedName, storedText } from '../fields/fields.ts'

export const SkillVersionFileInput = z
  .object({
    path: storedName(500),
    content: storedText,
  })
  .meta({ id: 'SkillVersionFileInput' })

export const SkillVersionFileReference = z
  .object({
    path: storedName(500),
    sha256Hash: storedName(44),
  })
  .meta({ id: 'SkillVersionFileReference' })

export const SkillVersionFileCreateInput = z
  .union([SkillVersionFileInput, SkillVersionFileReference])
  .meta({ id: 'SkillVersionFileCreateInput' })

export const CreateSkillVersionRequest = z
  .object({
    files: listOf(SkillVersionFileCreateInput, { min: 1, max: 500, message: 'Expected 1 to 500 files.' }),
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
    labels: listOf(storedName(100), { max: 100 }),
  })
  .meta({ id: 'UpdateSkillLabelsRequest' })

export const UpdateSkillRequest = z
  .object({
    tags: listOf(storedName(100), { max: 100 }),
  })
  .meta({ id: 'UpdateSkillRequest' })

export const SkillFileContentsRequest = z
  .object({
    sha256Hashes: listOf(storedName(44), { min: 1, max: 50, message: 'Expected 1 to 50 hashes.' }),
  })
  .meta({ id: 'SkillFileContentsRequest' })
