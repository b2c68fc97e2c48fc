import { z } from 'zod'
import { isoTime, recordOf, responseTime, storedText } from '../fields/fields.ts'

export const ApiKeyDeletionResponse = z
  .object({
    success: z.boolean(),
  })
  .meta({ id: 'ApiKeyDeletionResponse' })

export const ApiKeySummary = z
  .object({
    id: z.string(),
    createdAt: responseTime,
    expiresAt: responseTime.nullable(),
    lastUsedAt: responseTime.nullable(),
    name: z.string().nullish(),
    note: z.string().nullable(),
    publicKey: z.string(),
    displaySecretKey: z.string(),
  })
  .meta({ id: 'ApiKeySummary' })

export const ApiKeyList = z
  .object({
    apiKeys: z.array(ApiKeySummary),
  })
  .meta({ id: 'ApiKeyList' })

export const ApiKeyResponse = z
  .object({
    id: z.string(),
    createdAt: responseTime,
    expiresAt: responseTime.nullish(),
    publicKey: z.string(),
    secretKey: z.string(),
    displaySecretKey: z.string(),
    name: z.string().nullish(),
    note: z.string().nullish(),
  })
  .meta({ id: 'ApiKeyResponse' })

const keyOf = (prefix: string) =>
  z
    .string()
    .refine(value => value.startsWith(prefix), { message: `Must start with ${prefix}` })
    .nullish()

/** `note` is the older name of `name`. A caller that chooses the keys must send both `publicKey` and `secretKey`. */
export const CreateApiKeyRequest = z
  .object({
    name: storedText.nullish(),
    note: storedText.nullish(),
    expiresAt: isoTime.nullish(),
    publicKey: keyOf('pk-svc-'),
    secretKey: keyOf('sk-svc-'),
  })
  .superRefine(({ name, note, publicKey, secretKey }, context) => {
    const isGiven = (value: unknown) => value !== undefined && value !== null
    if (isGiven(name) && isGiven(note))
      context.addIssue({ code: 'custom', message: 'Give name or note (the older name of the field), not both.', path: ['note'] })
    if (isGiven(publicKey) !== isGiven(secretKey))
      context.addIssue({ code: 'custom', message: 'Give publicKey and secretKey together, or neither.', path: ['secretKey'] })
  })
  .meta({ id: 'CreateApiKeyRequest' })

const minRetentionDays = 3
/** This is a hundred years. A longer retention period must be a mistake. */
const maxRetentionDays = 36_500

const maxName = 60
const name = z
  .string()
  .min(3)
  .max(maxName)
  .refine(value => value.length > maxName || !/<[^>]*>/.test(value), { message: 'Must not contain HTML tags.' })
  .refine(value => !value.includes('\0') && value.isWellFormed(), { message: 'Must not contain NUL characters or unpaired surrogates.' })

/** Metadata as an object, or as JSON text of an object. */
const metadata = z.union([recordOf(z.unknown()), z.string()]).nullish()

const retention = z
  .int()
  .refine(days => days === 0 || (days >= minRetentionDays && days <= maxRetentionDays), {
    message: `Expected 0 (rows are kept forever) or a number of days from ${minRetentionDays} to ${maxRetentionDays}.`,
  })
  .nullish()

export const CreateProjectRequest = z.object({ name, metadata, retention }).meta({ id: 'CreateProjectRequest' })

export const UpdateProjectRequest = z.object({ name, metadata, retention }).meta({ id: 'UpdateProjectRequest' })

export const Organization = z
  .object({
    id: z.string(),
    name: z.string(),
  })
  .meta({ id: 'Organization' })

export const Project = z
  .object({
    id: z.string(),
    name: z.string(),
    organization: Organization,
    metadata: recordOf(z.unknown()),
    retentionDays: z.int().optional(),
  })
  .meta({ id: 'Project' })

export const ProjectDeletionResponse = z
  .object({
    success: z.boolean(),
    message: z.string(),
  })
  .meta({ id: 'ProjectDeletionResponse' })

export const Projects = z
  .object({
    data: z.array(Project),
  })
  .meta({ id: 'Projects' })
