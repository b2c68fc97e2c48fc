// Runs one item of an experiment in a separate span. Then runs the evaluators of the item.
import { isSpanContextValid } from '@opentelemetry/api'
import {
  createExperimentItemId,
  propagateAttributes,
  SVC_SDK_EXPERIMENT_ENVIRONMENT,
  SvcOtelSpanAttributes,
  serializeValue,
} from '@svc/core'
import { type SvcSpan, startActiveObservation } from '@svc/tracing'
import { evaluate } from './evaluate.ts'
import { datasetOf } from './ids.ts'
import type { Anything, Evaluation, ExperimentItem, ExperimentItemResult, ExperimentParams } from './types.ts'

const spanName = 'experiment-item-run'

export interface ItemRun {
  readonly params: ExperimentParams
  readonly runName: string
  readonly experimentId: string
  readonly score: (evaluation: Evaluation, ids: { readonly traceId: string; readonly observationId: string }) => void
  /** Called even if the task fails. */
  readonly onRecorded: () => void
}

type Texts = Readonly<Record<string, string>>

const present = (texts: Readonly<Record<string, string | undefined>>): Texts =>
  Object.fromEntries(Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== undefined))

function rootAttributes(item: ExperimentItem, { description, datasetVersion }: ExperimentParams): Texts {
  return present({
    [SvcOtelSpanAttributes.ENVIRONMENT]: SVC_SDK_EXPERIMENT_ENVIRONMENT,
    [SvcOtelSpanAttributes.EXPERIMENT_DESCRIPTION]: description,
    [SvcOtelSpanAttributes.EXPERIMENT_ITEM_EXPECTED_OUTPUT]: serializeValue(item.expectedOutput),
    [SvcOtelSpanAttributes.EXPERIMENT_ITEM_VERSION]: datasetOf(item) === undefined ? undefined : datasetVersion,
  })
}

/** Metadata that is not an object is recorded only in the experiment's attributes. */
const keysOf = (metadata: unknown): object =>
  typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? metadata : {}

/**
 * The run's keys replace equal keys of the item. A span with too many attributes loses the last attributes, so the metadata of the item and
 * the run comes after the experiment's attributes (`own`).
 */
function metadataOf(item: ExperimentItem, { params, runName }: ItemRun): Record<string, unknown> {
  const dataset = datasetOf(item)
  const own = {
    experiment_name: params.name,
    experiment_run_name: runName,
    ...(dataset && { dataset_id: dataset.datasetId, dataset_item_id: dataset.id }),
  }
  return { ...own, ...keysOf(item.metadata), ...params.metadata, ...own }
}

async function runTask(item: ExperimentItem, span: SvcSpan, run: ItemRun): Promise<Anything> {
  const { params, runName, experimentId } = run
  if (item.input === undefined) throw new Error('The item has no input.')
  const dataset = datasetOf(item)
  span.otelSpan.setAttributes(rootAttributes(item, params))
  const experiment = present({
    experimentId,
    experimentName: runName,
    experimentMetadata: serializeValue(params.metadata),
    experimentDatasetId: dataset?.datasetId,
    experimentItemId: dataset?.id ?? (await createExperimentItemId(item.input)),
    experimentItemMetadata: serializeValue(item.metadata),
    experimentItemRootObservationId: span.id,
  })
  const output = await propagateAttributes({ _internalExperiment: experiment }, () => params.task(item))
  span.update({ input: item.input, output, metadata: metadataOf(item, run) })
  return output
}

/** Rejects if the task fails. If an evaluator fails, its result is left out. */
export async function runItem(item: ExperimentItem, run: ItemRun): Promise<ExperimentItemResult> {
  const { output, context } = await startActiveObservation(spanName, async span => {
    if (span.otelSpan.isRecording()) run.onRecorded()
    return { output: await runTask(item, span, run), context: span.otelSpan.spanContext() }
  })
  const evaluators = run.params.evaluators ?? []
  const { input, expectedOutput, metadata } = item
  const evaluations = await evaluate(evaluators, { input, output, expectedOutput, metadata })
  const ids = isSpanContextValid(context) ? { traceId: context.traceId, observationId: context.spanId } : undefined
  if (ids) for (const evaluation of evaluations) run.score(evaluation, ids)
  return {
    item,
    input,
    expectedOutput,
    output,
    evaluations,
    ...(ids && { traceId: ids.traceId }),
    ...(datasetOf(item) && { datasetRunId: run.experimentId }),
  }
}
