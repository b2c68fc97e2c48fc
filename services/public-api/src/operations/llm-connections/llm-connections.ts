// Connections to providers of models (contract §18.7). No response contains a secret.
import * as connections from '@svc-server/api/llm-connections/operations'
import { AppError } from '@svc-server/errors'
import { type ModelConnection, usualModels } from '@svc-server/models/connection'
import {
  deleteLlmConnection,
  findLlmConnection,
  type LlmConnection,
  listLlmConnections,
  readSealedLlmConnection,
  upsertLlmConnection,
} from '@svc-server/relational/llm-connections'
import { inProject } from '@svc-server/relational/tenancy'
import { authorOf } from '../../request/author.ts'
import { handle, reply } from '../../request/handler.ts'
import { pageBody } from '../../request/pages.ts'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { refused } from '../../validation/refusals.ts'
import { storedJson } from '../../validation/stored-json.ts'
import { adapterConfig, displayedSecret, requireHeaders } from './adapters.ts'

const viewOf = ({ createdAt, updatedAt, ...connection }: LlmConnection) => ({
  ...connection,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

export const list = handle(connections.list, async ({ project: { projectId }, query }, { relational }) =>
  reply(200, pageBody(query, await listLlmConnections(inProject(relational, projectId), query), viewOf)),
)

export const upsert = handle(connections.upsert, async ({ project: caller, body }, deps) => {
  const { provider, adapter, secretKey, customModels } = body
  const [baseURL, extraHeaders] = [body.baseURL ?? null, requireHeaders(body.extraHeaders ?? {})]
  const config = adapterConfig(adapter, { secretKey, config: body.config ?? null })
  const project = inProject(deps.relational, caller.projectId)
  const stored = await findLlmConnection(project, provider)
  if (baseURL !== null && baseURL !== stored?.baseURL) await deps.outbound.check(baseURL)
  const headers = Object.entries(extraHeaders)
  const { connection, isNew } = await upsertLlmConnection(project, authorOf(caller, deps), {
    ...{ provider, adapter, baseURL, config },
    displaySecretKey: displayedSecret(secretKey),
    encryptedSecretKey: deps.encryption.encrypt(secretKey),
    customModels: customModels ?? [],
    withDefaultModels: body.withDefaultModels ?? true,
    encryptedExtraHeaders: headers.length === 0 ? null : deps.encryption.encrypt(JSON.stringify(extraHeaders)),
    extraHeaderKeys: headers.map(([name]) => name),
  })
  return isNew ? reply(201, viewOf(connection)) : reply(200, viewOf(connection))
})

export const remove = handle(connections.remove, async ({ project, params: { id } }, deps) => {
  if (!(await deleteLlmConnection(inProject(deps.relational, project.projectId), authorOf(project, deps), id)))
    throw new AppError('not_found', 'LLM connection not found')
  return reply(200, { message: 'LLM connection successfully deleted' })
})

const testPrompt = 'Reply with the JSON object {"ok": true}.'
const testSchema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'], additionalProperties: false }

/** Secrets are decrypted only for the call to the provider. */
export const test = handle(connections.test, async ({ project: { projectId }, params: { id }, body, signal }, deps) => {
  const sealed = await readSealedLlmConnection(inProject(deps.relational, projectId), id)
  if (sealed === undefined) throw new AppError('not_found', 'LLM connection not found')
  const { adapter, customModels, baseURL, config } = sealed.connection as LlmConnection & Pick<ModelConnection, 'adapter'>
  const model = body.model ?? customModels[0] ?? usualModels[adapter]
  if (model === undefined) throw new InvalidBody(refused('The connection lists no models, so the request must name a model.', ['model']))
  const { encryptedSecretKey, encryptedExtraHeaders: headers } = sealed
  const secretKey = deps.encryption.decrypt(encryptedSecretKey)
  const extraHeaders = headers === null ? {} : (storedJson(deps.encryption.decrypt(headers)) as ModelConnection['extraHeaders'])
  const connection = { adapter, baseURL, config, secretKey, extraHeaders }
  const { durationMs, ...outcome } = await deps.models.generate({
    ...{ owner: projectId, connection, model, prompt: testPrompt, schema: testSchema, maxRetries: 0, signal },
  })
  if (outcome.kind === 'value') return reply(200, { ok: true, model, durationMs, reason: null, message: null, providerStatus: null })
  const { reason, message, status = null } = outcome.problem
  return reply(200, { ok: false, model, durationMs, reason, message, providerStatus: status })
})
