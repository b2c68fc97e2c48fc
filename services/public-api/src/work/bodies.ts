// After the schema check, turns request bodies for datasets, dataset items, dataset run items, projects and prompts into the values that
// the server stores. These functions can run in a worker thread, and passing objects between threads is expensive (ADR 0038). The functions
// therefore return the clients' JSON values as text.
import type { CreateDatasetItemRequest } from '@svc-server/api/dataset-items/types'
import type { CreateDatasetRunItemRequest } from '@svc-server/api/dataset-run-items/operations'
import type { CreateDatasetRequest } from '@svc-server/api/datasets/types'
import type { CreateProjectRequest } from '@svc-server/api/projects/types'
import type { CreatePromptRequest } from '@svc-server/api/prompts/types'
import type { DatasetItemChange } from '@svc-server/relational/dataset-items'
import type { DatasetChange } from '@svc-server/relational/datasets'
import { storableJson } from '@svc-server/relational/json'
import type { z } from 'zod'
import { InvalidBody } from '../validation/invalid-body.ts'
import { parseJson } from '../validation/parse-json.ts'
import { refused } from '../validation/refusals.ts'

type RunItemInput = z.output<typeof CreateDatasetRunItemRequest>

export interface RunItemPlan extends Omit<RunItemInput, 'metadata'> {
  readonly metadata: string | null
}

export interface ProjectPlan {
  readonly name: string
  readonly metadata?: string
  readonly retentionDays?: number
}

export function planRunItem({ metadata, ...input }: RunItemInput): RunItemPlan {
  return { ...input, runName: input.runName.toWellFormed(), metadata: storableJson(metadata) }
}

/** Returns the value as JSON text. Returns undefined if the value is absent, so that the store keeps the current value. */
const textOf = (value: unknown) => (value === undefined ? undefined : storableJson(value))

export function planDataset({ name, description, ...json }: z.output<typeof CreateDatasetRequest>): DatasetChange {
  const [metadata, inputSchema, expectedOutputSchema] = [json.metadata, json.inputSchema, json.expectedOutputSchema].map(textOf)
  return {
    name,
    ...(description !== undefined && { description }),
    ...(metadata !== undefined && { metadata }),
    ...(inputSchema !== undefined && { inputSchema }),
    ...(expectedOutputSchema !== undefined && { expectedOutputSchema }),
  }
}

export const planDatasetItem = ({
  input,
  expectedOutput,
  metadata,
  ...item
}: z.output<typeof CreateDatasetItemRequest>): DatasetItemChange => ({
  datasetName: item.datasetName,
  ...{ id: item.id ?? null, status: item.status ?? null },
  ...{ sourceTraceId: item.sourceTraceId ?? null, sourceObservationId: item.sourceObservationId ?? null },
  ...{ input: storableJson(input), expectedOutput: storableJson(expectedOutput), metadata: storableJson(metadata) },
})

export interface PromptPlan {
  readonly name: string
  readonly type: 'text' | 'chat'
  /** JSON texts. */
  readonly prompt: string
  readonly config?: string
  readonly labels: readonly string[]
  readonly tags: readonly string[] | null
  readonly commitMessage: string | null
}

type PromptInput = z.output<typeof CreatePromptRequest> & { readonly isActive?: boolean }

/** Adds a type to a message without one. */
function typed(message: object): object {
  if ('type' in message && typeof message.type === 'string') return message
  return { ...message, type: 'role' in message ? 'chatmessage' : 'placeholder' }
}

export function planPrompt({ name, type, prompt, config, labels, tags, commitMessage, isActive }: PromptInput): PromptPlan {
  return {
    ...{ name: name.trim(), type: type ?? 'text', tags: tags ?? null, commitMessage: commitMessage ?? null },
    labels: [...(labels ?? []), ...(isActive === true ? ['production'] : [])],
    prompt: storableJson(typeof prompt === 'string' ? prompt : prompt.map(typed))!,
    ...(config !== undefined && { config: storableJson(config) ?? 'null' }),
  }
}

/** Throws InvalidBody. */
export function planProject({ name, metadata, retention }: z.output<typeof CreateProjectRequest>): ProjectPlan {
  const text = storableJson(typeof metadata === 'string' ? objectIn(metadata) : metadata)
  return { name, ...(text !== null && { metadata: text }), ...(typeof retention === 'number' && { retentionDays: retention }) }
}

/** Parses metadata that arrived as JSON text. */
function objectIn(text: string): object {
  try {
    const value = parseJson(Buffer.from(text))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch (error) {
    if (!(error instanceof InvalidBody)) throw error
  }
  throw new InvalidBody(refused('Expected an object or its JSON text, with at most 100 levels.', ['metadata']))
}
