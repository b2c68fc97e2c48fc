// Lists the functions that a worker thread can run for the API. The functions have no side effects.
import { operationById } from '@svc-server/api/operations'
import { type LegacyResponse, legacyText } from '@svc-server/query/legacy'
import { type StoredTree, treeText } from '@svc-server/query/trace'
import type { Terms } from '../events/acceptance.ts'
import { planBatch } from '../events/batch.ts'
import { planScores } from '../events/score-batch.ts'
import { planWrite } from '../events/single-write.ts'
import { bytesOfPage, type PageJob, pageText } from '../scores/view.ts'
import { decodeWith } from '../validation/decode-with.ts'
import { parseJson } from '../validation/parse-json.ts'
import { planDataset, planDatasetItem, planProject, planPrompt, planRunItem } from './bodies.ts'
import { type ItemCheck, violationsOf } from './item-schemas.ts'

const preparations = {
  'ingestion.batch': planBatch,
  'scores.create': planScores,
  'datasetRunItems.create': planRunItem,
  'datasets.create': planDataset,
  'legacy.createDataset': planDataset,
  'datasetItems.create': planDatasetItem,
  'prompts.create': planPrompt,
  'legacy.createPrompt': planPrompt,
  'projects.create': planProject,
  'projects.update': planProject,
  'legacy.createTrace': planWrite('legacy.createTrace'),
  'legacy.createSpan': planWrite('legacy.createSpan'),
  'legacy.updateSpan': planWrite('legacy.updateSpan'),
  'legacy.createGeneration': planWrite('legacy.createGeneration'),
  'legacy.updateGeneration': planWrite('legacy.updateGeneration'),
  'legacy.createEvent': planWrite('legacy.createEvent'),
} as const
export type Preparations = typeof preparations

export interface BodyJob {
  readonly kind: 'body'
  readonly operationId: string
  readonly body: Uint8Array
  readonly terms: Terms | undefined
}

interface LegacyJob {
  readonly kind: 'legacy'
  readonly response: LegacyResponse
}

interface TreeJob {
  readonly kind: 'tree'
  readonly tree: StoredTree
}

export type RenderJob = PageJob | LegacyJob | TreeJob
export type Job = BodyJob | RenderJob | ItemCheck

/**
 * Returns the approximate size of a job in bytes. Jobs above a certain size run in a worker thread. A check against a client's schema can
 * take any length of time. Its job has an infinite size, so that the check always runs in a worker thread.
 */
export function bytesOf(job: Job): number {
  if (job.kind === 'body') return job.body.length
  if (job.kind === 'items') return Number.POSITIVE_INFINITY
  if (job.kind === 'tree') return job.tree.columns.length
  return job.kind === 'page' ? bytesOfPage(job) : job.response.found.bytes
}

/** Throws InvalidBody, or an AppError. */
export function workOn(job: Job): unknown {
  if (job.kind === 'page') return pageText(job)
  if (job.kind === 'items') return violationsOf(job)
  if (job.kind === 'tree') return treeText(job.tree)
  if (job.kind === 'legacy') return legacyText(job.response)
  const { operationId, body, terms } = job
  const operation = operationById.get(operationId)!
  const decoded = decodeWith(operation.body!, parseJson(body, { exact: operation.exactNumbers }))
  const prepare = Object.hasOwn(preparations, operationId) ? preparations[operationId as keyof Preparations] : undefined
  return prepare === undefined ? decoded : prepare(decoded as never, terms as Terms)
}
