// What the bodies of routes that write one thing become. JSON that a client may shape is text from here on: objects go badly from thread to thread
// (ADR 0038).

import { storableJson } from '@svc-server/relational/json'
import type { z } from 'zod'
import { parseJson } from '../events/batch.ts'
import { InvalidBody } from '../events/invalid-body.ts'
import { issuesOf, refused } from '../events/refusals.ts'
import { deleteTraces } from '../schemas/delete-traces.ts'
import { projectBody } from '../schemas/project.ts'
import { createRunItem, type RunItemInput } from '../schemas/run-item.ts'

export interface EntityJob<Kind extends string> {
  readonly kind: Kind
  readonly body: Uint8Array
}

export interface RunItemPlan extends Omit<RunItemInput, 'metadata'> {
  readonly metadata: string | null
}

export interface ProjectPlan {
  readonly name: string
  readonly metadata?: string
  readonly retentionDays?: number
}

/** Throws InvalidBody, as the others do. */
export function planRunItem(body: Uint8Array): RunItemPlan {
  const { metadata, ...input } = checked(createRunItem, body)
  return { ...input, runName: input.runName.toWellFormed(), metadata: storableJson(metadata) }
}

/** Ids of traces. */
export const planDeletion = (body: Uint8Array): readonly string[] => checked(deleteTraces, body).traceIds

export function planProject(body: Uint8Array): ProjectPlan {
  const { name, metadata, retention } = checked(projectBody, body)
  const text = storableJson(typeof metadata === 'string' ? objectIn(metadata) : metadata)
  return { name, ...(text !== null && { metadata: text }), ...(typeof retention === 'number' && { retentionDays: retention }) }
}

function checked<Schema extends z.ZodType>(schema: Schema, body: Uint8Array): z.infer<Schema> {
  const parsed = schema.safeParse(parseJson(body))
  if (!parsed.success) throw new InvalidBody(issuesOf(parsed.error))
  return parsed.data
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
