// LLM connections of a project, one per provider (contract §18.7). Callers encrypt the secrets, which appear in no audit entry.
import { randomUUID } from 'node:crypto'
import { pauseEvaluators } from '../evaluators/repository.ts'
import type { Author } from '../tenancy/audit.ts'
import type { InProject } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { storableJson } from '../tenancy/json.ts'
import { mapPage, type Page, type PageOf, pageOf } from '../tenancy/pages.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { timesAt } from '../tenancy/times.ts'

export interface NewLlmConnection {
  readonly provider: string
  readonly adapter: string
  readonly displaySecretKey: string
  readonly encryptedSecretKey: string
  readonly baseURL: string | null
  readonly customModels: readonly string[]
  readonly withDefaultModels: boolean
  /** Encrypted JSON of header names and values. */
  readonly encryptedExtraHeaders: string | null
  readonly extraHeaderKeys: readonly string[]
  readonly config: Readonly<Record<string, unknown>> | null
}

/** An LLM connection without its secrets. */
export interface LlmConnection extends Omit<NewLlmConnection, 'encryptedSecretKey' | 'encryptedExtraHeaders'> {
  readonly id: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

const viewOf = (row: RowOf<'llm_api_keys'>): LlmConnection => ({
  id: row.id,
  provider: row.provider,
  adapter: row.adapter,
  displaySecretKey: row.display_secret_key,
  baseURL: row.base_url,
  customModels: row.custom_models,
  withDefaultModels: row.with_default_models,
  extraHeaderKeys: row.extra_header_keys,
  config: row.config as LlmConnection['config'],
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** v3's resource type. */
const resourceType = 'llmApiKey'

const columnsOf = (given: NewLlmConnection) => ({
  adapter: given.adapter,
  display_secret_key: given.displaySecretKey,
  secret_key: given.encryptedSecretKey,
  base_url: given.baseURL,
  custom_models: [...given.customModels],
  with_default_models: given.withDefaultModels,
  extra_headers: given.encryptedExtraHeaders,
  extra_header_keys: [...given.extraHeaderKeys],
  config: storableJson(given.config),
})

export interface UpsertedLlmConnection {
  readonly connection: LlmConnection
  readonly isNew: boolean
}

export const upsertLlmConnection = (project: InProject, by: Author, given: NewLlmConnection): Promise<UpsertedLlmConnection> =>
  project.writeInTurn<UpsertedLlmConnection>(
    by,
    async rows => {
      const { provider } = given
      const found = await rows.select('llm_api_keys').selectAll().where('provider', '=', provider).executeTakeFirst()
      if (found === undefined) {
        const row = { id: randomUUID(), provider, ...columnsOf(given), ...timesAt(by.at) }
        const connection = viewOf(await rows.insert('llm_api_keys', row).returningAll().executeTakeFirstOrThrow())
        const audit = [{ resourceType, resourceId: connection.id, action: 'create' as const, after: connection }]
        return { value: { connection, isNew: true }, audit }
      }
      const change = rows.update('llm_api_keys').set({ ...columnsOf(given), updated_at: by.at })
      const connection = viewOf(await change.where('id', '=', found.id).returningAll().executeTakeFirstOrThrow())
      const entry = { resourceType, resourceId: found.id, action: 'update' as const, before: viewOf(found), after: connection }
      return { value: { connection, isNew: false }, audit: [entry] }
    },
    'llm connections',
  )

/** Lists connections, newest first. */
export async function listLlmConnections(project: InProject, page: Page): Promise<PageOf<LlmConnection>> {
  const query = project.select('llm_api_keys').selectAll().orderBy('created_at', 'desc').orderBy('id')
  return mapPage(await pageOf(query, page), viewOf)
}

export async function findLlmConnection(project: InProject, provider: string): Promise<LlmConnection | undefined> {
  if (!canBeId(provider)) return undefined
  const row = await project.select('llm_api_keys').selectAll().where('provider', '=', provider).executeTakeFirst()
  return row && viewOf(row)
}

export interface SealedLlmConnection {
  readonly connection: LlmConnection
  readonly encryptedSecretKey: string
  readonly encryptedExtraHeaders: string | null
}

/** Returns the connection with its encrypted secrets, which a call to the provider needs. */
export async function readSealedLlmConnection(project: InProject, id: string): Promise<SealedLlmConnection | undefined> {
  if (!canBeId(id)) return undefined
  const row = await project.select('llm_api_keys').selectAll().where('id', '=', id).executeTakeFirst()
  return row && { connection: viewOf(row), encryptedSecretKey: row.secret_key, encryptedExtraHeaders: row.extra_headers }
}

/**
 * Deletes the connection, and the default model if it uses the connection. Pauses the evaluators that used the connection or the default
 * model.
 */
export const deleteLlmConnection = (project: InProject, by: Author, id: string): Promise<boolean> =>
  project.write<boolean>(by, async rows => {
    const found = await rows.find('llm_api_keys', id)
    if (found === undefined) return { value: false, audit: [] }
    const byDefault = rows.select('default_llm_models').select('id').where('llm_api_key_id', '=', id)
    const isDefault = (await byDefault.executeTakeFirst()) !== undefined
    await rows.delete('llm_api_keys').where('id', '=', id).execute()
    await pauseEvaluators(rows, by, { provider: found.provider, isDefault })
    return { value: true, audit: [{ resourceType, resourceId: id, action: 'delete', before: viewOf(found) }] }
  })
