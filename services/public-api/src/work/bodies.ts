// What the bodies of some operations become beyond what their schema says: JSON that a client may shape is text from here on, because objects go
// badly from thread to thread (ADR 0038).
import type { CreateDatasetRunItemRequest } from '@svc-server/api/dataset-run-items/operations'
import type { CreateProjectRequest } from '@svc-server/api/projects/types'
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

/** Throws InvalidBody. */
export function planProject({ name, metadata, retention }: z.output<typeof CreateProjectRequest>): ProjectPlan {
  const text = storableJson(typeof metadata === 'string' ? objectIn(metadata) : metadata)
  return { name, ...(text !== null && { metadata: text }), ...(typeof retention === 'number' && { retentionDays: retention }) }
}

/** Of metadata that came as JSON text. */
function objectIn(text: string): object {
  try {
    const value = parseJson(Buffer.from(text))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch (error) {
    if (!(error instanceof InvalidBody)) throw error
  }
  throw new InvalidBody(refused('Expected an object, or the JSON text of one, of at most 100 levels.', ['metadata']))
}
